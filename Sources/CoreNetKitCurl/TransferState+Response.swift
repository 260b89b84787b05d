#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl
    import Glibc

    extension TransferState {
        /// One line of a head or a trailer.
        mutating func receive(line: UnsafeRawPointer, count: Int) -> Bool {
            lastActivity = loop.now
            // Trailers come after the content and are not part of the head.
            guard !headIsComplete else { return receive(trailer: line, count: count) }
            let bytes = UnsafeRawBufferPointer(start: line, count: count)
            if count >= 12, memcmp(line, "HTTP/", 5) == 0 {
                startHead(bytes)
            } else if bytes.first == UInt8(ascii: "\r") || bytes.first == UInt8(ascii: "\n") {
                // A head of 1xx is followed by another one.
                headIsComplete = status >= 200
                if headIsComplete {
                    endHead()
                    if isWatched { announce() }
                } else {
                    noteInterim()
                }
                return true
            } else if count > 15 {
                noteContentField(bytes)
            }
            guard head.count + count <= TransferState.headLimit else {
                refusal = .headTooLarge
                return false
            }
            guard head.append(line, count: count) else {
                refusal = .outOfMemory
                return false
            }
            return true
        }

        private mutating func startHead(_ line: UnsafeRawBufferPointer) {
            let now = MonotonicTime.now()
            if firstByteAt == 0 { firstByteAt = now }
            if sentAt == 0 { sentAt = now }
            head.removeAll()
            (codings, isChunked, hasLength) = (.init(), false, false)
            switch (line[5], line[7]) {
            case (UInt8(ascii: "2"), _): noteHTTP2()
            case (UInt8(ascii: "3"), _): version = "3"
            case (_, UInt8(ascii: "0")): version = "1.0"
            default: version = "1.1"
            }
            if line[5] == UInt8(ascii: "1") {
                mayShareConnection = false
                if !keepsHTTP1 { found(.http1) }
            } else if !keepsHTTP1, isSecure {
                found(.newer)
            }
            status = 0
            guard let space = line.firstIndex(of: 0x20) else { return }
            for byte in line[(space + 1)...] {
                guard byte >= 0x30, byte <= 0x39, status < 1000 else { break }
                status = status * 10 + Int32(byte - 0x30)
            }
        }

        private mutating func receive(trailer line: UnsafeRawPointer, count: Int) -> Bool {
            guard trailers.count + count <= TransferState.headLimit, trailers.append(line, count: count) else {
                refusal = .headTooLarge
                return false
            }
            return true
        }

        /// As many as a server may send before it answers.
        private static let interimLimit = 100

        private mutating func noteInterim() {
            guard interim.count < TransferState.interimLimit, status >= 100 else { return }
            interim.append(
                InterimResponse(
                    status: Int(status),
                    headers: Headers(fields: HeaderLines.fields(in: head.buffer, skipsFirst: true))
                )
            )
            guard let monitor else { return }
            let interim = interim
            monitor.update { $0.interim = interim }
        }

        private mutating func endHead() {
            // libcurl gives up sending by itself, but not where it waits for more of the content: that may never come.
            if status >= 300, case .pump = upload, !hasSentAll {
                isRefusedEarly = true
                announce()
            }
            if let monitor, hasLength {
                let expected = contentLength
                monitor.update { $0.bytesExpected = expected }
            }
        }

        private mutating func noteContentField(_ line: UnsafeRawBufferPointer) {
            switch line[0] | 0x20 {
            case UInt8(ascii: "c"):
                if TransferState.starts(line, with: "content-encoding:") {
                    codings.add(line[17...])
                } else if TransferState.starts(line, with: "content-length:") {
                    hasLength = true
                    if monitor != nil { contentLength = TransferState.number(line[15...]) }
                }
            case UInt8(ascii: "t"):
                if TransferState.starts(line, with: "transfer-encoding:") { isChunked = true }
            default: break
            }
        }

        private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64 {
            digits.reduce(0) { value, byte in
                byte >= 0x30 && byte <= 0x39
                    ? value.saturatingMultiply(10).saturatingAdd(Int64(byte - 0x30)) : value
            }
        }

        private static func starts(_ line: UnsafeRawBufferPointer, with name: StaticString) -> Bool {
            guard line.count > name.utf8CodeUnitCount else { return false }
            for index in 0..<name.utf8CodeUnitCount where Headers.lowered(line[index]) != name.utf8Start[index] {
                return false
            }
            return true
        }

        /// Content, as it came over the wire.
        ///
        /// - Returns: What libcurl's write callback returns: `count`, another number to end the exchange, or a pause.
        mutating func receive(content: UnsafeRawPointer, count: Int) -> Int {
            // HTTP/2 can carry it; a stream has no reader yet, and would wait for one for ever.
            guard headIsComplete else { return refuse(.headMissing) }
            if self.content.hasNoRoom(for: count) {
                announce()
                isReceivePaused = true
                return CNC_WRITEFUNC_PAUSE
            }
            switch self.content.take(content, count, status: status, isDecoded: isDecoded) {
            case .tooLarge(let limit): return refuse(.tooLarge(limit: limit))
            case .outOfMemory: return refuse(.outOfMemory)
            case nil: break
            }
            if self.content.kind == .stream { announce() }
            if let monitor {
                let total = self.content.received
                monitor.update { $0.bytesReceived = total }
            }
            lastActivity = loop.now
            return count
        }

        private mutating func refuse(_ reason: Refusal) -> Int {
            refusal = reason
            return 0
        }
    }
#endif
