#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    // What libcurl's callbacks do for an exchange over HTTP/3.
    extension EasyHandle {
        /// A new connection begins: the first, or another one because a kept one was dead.
        func opened(_ descriptor: Int32) {
            link.openedSocket = true
            link.socket = descriptor
            guard connectedAt != 0 else { return }
            noteEnd()
            link.connectStartedAt = MonotonicTime.now()
        }

        /// The connection is writable, perhaps another one for the same request; `false` if it cannot be sent.
        ///
        /// libcurl loses bytes of the body that it had read but not written: so the body always starts anew here.
        func connected(remoteIP: UnsafePointer<CChar>?, remotePort: Int32) -> Bool {
            if connectedAt != 0 { noteEnd() }
            if link.before != .nothing, receiving.head != nil || !transfer.parameters.mayRepeat(link.before.evidence) {
                let text = "libcurl was about to send the request again, though the server has responded"
                refusal =
                    receiving.head != nil
                    ? .other(.connectionLost, text, .receive)
                    : .other(.connectionLost, CurlFailure.notRepeatedMessage, .wait)
                return false
            }
            guard rewind() else { return false }
            let now = MonotonicTime.now()
            (connectedAt, lastActivity) = (now, now)
            // The request is one small write.
            if transfer.wire.verb != .upload || transfer.upload.length == 0 { sending.sentAt = now }
            if sending.continueDeadline != 0 {
                sending.continueDeadline = MonotonicTime.after(now, CurlLoop.continueTimeout)
                announce()
            }
            remote = SocketAddress.text(remoteIP, remotePort)
            enter()
            if link.isNewConnection, let named = link.named, !CurlLibrary.isNamed(named, on: easy) {
                refusal = .other(.certificateWrongHost, CurlFailure.wrongHostMessage, .tls)
                return false
            }
            transfer.reportStart()
            return true
        }

        private func enter() {
            link.isNewConnection = link.openedSocket
            if link.isNewConnection {
                loop.connectionsCreated += 1
                loop.handshakes += 1
                loop.endAttempt(number, keeping: link.socket)
            } else {
                link.socket = -1
            }
            link.openedSocket = false
        }

        /// libcurl has given up a connection on which the request was sent, or about to be.
        private func noteEnd() {
            link.before = progress
            (connectedAt, sending.sentAt) = (0, 0)
        }

        /// Gives libcurl the next piece of the body: a count, 0 at the end, a pause, or the end of the exchange.
        func send(into buffer: UnsafeMutableRawPointer, count: Int) -> Int {
            // The rest is not wanted, and the connection is closed afterwards: aborting would lose the rest of the response.
            guard !sending.isRefused else { return 0 }
            guard sending.continueDeadline == 0 else {
                (sending.isPaused, isHeld) = (true, true)
                return CNC_READFUNC_PAUSE
            }
            switch upload.read(into: buffer, count: count) {
            case .bytes(let copied):
                lastActivity = loop.now
                sending.sent += Int64(copied)
                transfer.reportSent(sending.sent)
                // With a length, libcurl does not ask for the end.
                if sending.sent == upload.length { noteSentAll() }
                return copied
            case .end:
                noteSentAll()
                return 0
            case .pause:
                sending.isPaused = true
                return CNC_READFUNC_PAUSE
            case .failure(let failure):
                refusal = .other(failure.code, failure.message)
                return CNC_READFUNC_ABORT
            }
        }

        private func noteSentAll() {
            sending.isDone = true
            sending.sentAt = MonotonicTime.now()
        }

        func rewind() -> Bool {
            guard sending.sent > 0 else { return true }
            guard upload.rewind() else {
                refusal = .other(.connectionLost, "the connection died, and the body cannot be sent again")
                return false
            }
            (sending.sent, sending.written, sending.sentAt, sending.isDone) = (0, 0, 0, false)
            return true
        }

        func receive(line: UnsafeRawPointer, count: Int) -> Bool {
            lastActivity = loop.now
            // Trailers come after the content and are not part of the head.
            guard receiving.head == nil else { return keep(line, count, in: &transfer.end.trailers) }
            let bytes = UnsafeRawBufferPointer(start: line, count: count)
            if count >= 12, bytes.starts(with: "HTTP/".utf8) {
                guard startHead(bytes) else {
                    refusal = .other(.invalidResponse, "a status line says another version than HTTP/3")
                    return false
                }
            } else if bytes.last == UInt8(ascii: "\n"), count == 1 || bytes.first == UInt8(ascii: "\r") {
                // Newer libcurl also hands over a truncated last line, without its line end. A 1xx head is followed by
                // another head.
                if receiving.status >= 200 {
                    endHead()
                    if isWatched { announce() }
                } else {
                    if receiving.status == 100 { resumeAfterContinue() }
                    if receiving.status >= 100 {
                        transfer.noteInterim(transfer.outcome.head.buffer, Int(receiving.status))
                    }
                }
                return true
            }
            return keep(line, count, in: &transfer.outcome.head)
        }

        private func keep(_ line: UnsafeRawPointer, _ count: Int, in lines: inout RawBytes) -> Bool {
            if lines.count + count > EasyHandle.headLimit {
                let text = "the response's head is larger than \(EasyHandle.headLimit) bytes"
                refusal = .other(.invalidResponse, text)
            } else if !lines.append(line, count: count) {
                refusal = .outOfMemory
            }
            return !isRefused
        }

        /// Reads a status line, as libcurl writes one for each head; `false` if it is not one of HTTP/3.
        private func startHead(_ line: UnsafeRawBufferPointer) -> Bool {
            let now = MonotonicTime.now()
            if receiving.firstByteAt == 0 { receiving.firstByteAt = now }
            if sending.sentAt == 0 { sending.sentAt = now }
            transfer.outcome.head.removeAll()
            guard line[5] == UInt8(ascii: "3") else { return false }
            if link.isNewConnection, link.hasHTTP3 == nil {
                link.hasHTTP3 = true
                announce()
            }
            receiving.status = 0
            guard let space = line.firstIndex(of: 0x20) else { return true }
            for byte in line[(space + 1)...] {
                guard byte >= 0x30, byte <= 0x39, receiving.status < 1000 else { break }
                receiving.status = receiving.status * 10 + Int32(byte - 0x30)
            }
            return true
        }

        private func resumeAfterContinue() {
            guard sending.continueDeadline != 0 else { return }
            sending.continueDeadline = 0
            announce()
        }

        private func endHead() {
            // As over HTTP/2, the stream marks the content's end.
            let head = ResponseHead(status: Int(receiving.status), lines: transfer.outcome.head.buffer)
            receiving.head = head
            transfer.note(head)
            // libcurl stops sending by itself, but not while it waits for more content, which may never come.
            if receiving.status >= 300, waitsForContent, !sending.isDone {
                sending.isRefused = true
                announce()
            }
            resumeAfterContinue()
            if receiving.status >= 300, transfer.bodyCount != 0, !sending.isDone {
                isEarly = true
                if isWhole { announce() }
            }
        }

        /// Receives content as it is on the wire; returns `count`, another number to end the exchange, or a pause.
        func receive(content: UnsafeRawPointer, count: Int) -> Int {
            // A stream can carry content before the head; a stream has no reader yet and would wait for ever.
            guard receiving.head != nil else {
                refusal = .other(.invalidResponse, "content arrived without a head")
                return 0
            }
            if receiving.content.hasNoRoom(for: count) {
                announce()
                receiving.isPaused = true
                return CNC_WRITEFUNC_PAUSE
            }
            let isDecoded = transfer.outcome.isDecoded
            if let reason = receiving.content.take(content, count, status: receiving.status, isDecoded: isDecoded) {
                refusal = reason
                return 0
            }
            if receiving.content.kind == .stream || (isEarly && isWhole) { announce() }
            transfer.reportReceived(receiving.content.received)
            lastActivity = loop.now
            return count
        }
    }
#endif
