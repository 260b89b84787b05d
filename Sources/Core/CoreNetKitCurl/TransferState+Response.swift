#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    extension TransferState {
        /// One line of a head or a trailer.
        mutating func receive(line: UnsafeRawPointer, count: Int) -> Bool {
            link.lastActivity = loop.now
            // Trailers come after the content and are not part of the head.
            guard !response.headIsComplete else { return receive(trailer: line, count: count) }
            let bytes = UnsafeRawBufferPointer(start: line, count: count)
            if count >= 12, memcmp(line, "HTTP/", 5) == 0 {
                guard startHead(bytes) else {
                    refusal = .versionAsText
                    return false
                }
            } else if bytes.last == UInt8(ascii: "\n"), count == 1 || bytes.first == UInt8(ascii: "\r") {
                // Newer libcurl also hands over a truncated last line, without its line end. A 1xx head is followed by
                // another head.
                if response.status >= 200 {
                    guard endHead() else { return false }
                    response.headIsComplete = true
                    if terms.isWatched { announce() }
                } else {
                    noteInterim()
                }
                return true
            }
            guard response.head.count + count <= TransferState.headLimit else {
                refusal = .headTooLarge
                return false
            }
            guard response.head.append(line, count: count) else {
                refusal = .outOfMemory
                return false
            }
            return true
        }

        /// Reads a status line, as libcurl writes one for each head.
        ///
        /// - Returns: Whether it is one of HTTP/3.
        private mutating func startHead(_ line: UnsafeRawBufferPointer) -> Bool {
            let now = MonotonicTime.now()
            if response.firstByteAt == 0 { response.firstByteAt = now }
            if sending.sentAt == 0 { sending.sentAt = now }
            response.head.removeAll()
            guard line[5] == UInt8(ascii: "3") else { return false }
            if link.isNewConnection, link.hasHTTP3 == nil {
                link.hasHTTP3 = true
                announce()
            }
            response.status = 0
            guard let space = line.firstIndex(of: 0x20) else { return true }
            for byte in line[(space + 1)...] {
                guard byte >= 0x30, byte <= 0x39, response.status < 1000 else { break }
                response.status = response.status * 10 + Int32(byte - 0x30)
            }
            return true
        }

        private mutating func receive(trailer line: UnsafeRawPointer, count: Int) -> Bool {
            guard response.trailers.count + count <= TransferState.headLimit,
                response.trailers.append(line, count: count)
            else {
                refusal = .headTooLarge
                return false
            }
            return true
        }

        /// The maximum number of interim responses before the final one.
        private static let interimLimit = 100

        private mutating func noteInterim() {
            if response.status == 100 { goOn() }
            guard response.interim.count < TransferState.interimLimit, response.status >= 100 else { return }
            response.interim.append(
                InterimResponse(
                    status: Int(response.status),
                    headers: Headers(fields: HeaderLines.fields(in: response.head.buffer, skipsFirst: true))
                )
            )
            guard let monitor = terms.monitor else { return }
            let interim = response.interim
            monitor.update { $0.interim = interim }
        }

        /// The server has asked for the content, or has responded without it.
        private mutating func goOn() {
            guard sending.continueAt != 0 else { return }
            sending.continueAt = 0
            announce()
        }

        /// Reads what a final head says about the content.
        ///
        /// - Returns: Whether that is possible.
        private mutating func endHead() -> Bool {
            // As over HTTP/2, the stream marks the content's end.
            response.known = ResponseHead(status: Int(response.status), lines: response.head.buffer)
            // libcurl stops sending by itself, but not while it waits for more content, which may never come.
            if response.status >= 300, sending.waitsForContent, !sending.isDone {
                sending.isRefusedEarly = true
                announce()
            }
            goOn()
            if response.status >= 300, terms.bodyCount != 0, !sending.isDone {
                response.isEarly = true
                if terms.hasNoContent || response.isWhole { announce() }
            }
            if let monitor = terms.monitor, case .length(let expected) = response.known?.framing {
                monitor.update { $0.bytesExpected = expected }
            }
            return true
        }

        /// Receives content as it is on the wire.
        ///
        /// - Returns: The result of libcurl's write callback: `count`, another number to end the exchange, or a pause.
        mutating func receive(content: UnsafeRawPointer, count: Int) -> Int {
            // A stream can carry content before the head; a stream has no reader yet and would wait for ever.
            guard response.headIsComplete else { return refuse(.headMissing) }
            if response.content.hasNoRoom(for: count) {
                announce()
                response.isPaused = true
                return CNC_WRITEFUNC_PAUSE
            }
            switch response.content.take(content, count, status: response.status, isDecoded: isDecoded) {
            case .tooLarge(let limit): return refuse(.tooLarge(limit: limit))
            case .outOfMemory: return refuse(.outOfMemory)
            case nil: break
            }
            if response.content.kind == .stream || (response.isEarly && response.isWhole) { announce() }
            if let monitor = terms.monitor {
                let total = response.content.received
                monitor.update { $0.bytesReceived = total }
            }
            link.lastActivity = loop.now
            return count
        }

        private mutating func refuse(_ reason: Refusal) -> Int {
            refusal = reason
            return 0
        }
    }
#endif
