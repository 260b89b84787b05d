#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    extension TransferState {
        /// Gives libcurl the next piece of the body.
        ///
        /// - Returns: What libcurl's read callback returns: a count, 0 at the end, a pause, or the end of the exchange.
        mutating func send(into buffer: UnsafeMutableRawPointer, count: Int) -> Int {
            // Nobody waits for the rest, and the connection is closed behind it. Chunked content gets its last chunk so, which
            // RFC 2616, section 8.2.2, allows: to break off instead would lose what is still to come of the response.
            guard !isRefusedEarly else { return 0 }
            switch upload.read(into: buffer, count: count) {
            case .bytes(let copied):
                lastActivity = loop.now
                sent += Int64(copied)
                if let monitor {
                    let sent = sent
                    monitor.update { $0.bytesSent = sent }
                }
                // With a length, libcurl does not ask for the end.
                if sent == upload.length { noteSentAll() }
                return copied
            case .end:
                noteSentAll()
                return 0
            case .pause:
                isSendPaused = true
                return CNC_READFUNC_PAUSE
            case .failure(let failure):
                refusal = .upload(failure)
                return CNC_READFUNC_ABORT
            }
        }

        private mutating func noteSentAll() {
            hasSentAll = true
            sentAt = MonotonicTime.now()
        }

        /// Tells the monitor that the request goes out, or goes out again.
        func reportStart() {
            guard let monitor else { return }
            let isSent = isSentAtOnce
            monitor.update { state in
                state = ExchangeMonitor.State()
                state.bytesToSend = bodyCount < 0 ? nil : bodyCount
                if isSent { state.bytesSent = max(0, bodyCount) }
            }
        }

        /// Goes back to the start of the body, when libcurl repeats a request whose connection was dead.
        mutating func rewind() -> Bool {
            guard sent > 0 else { return true }
            guard upload.rewind() else {
                let text = "the connection died, and the body cannot be sent again"
                refusal = .upload(.init(code: .connectionLost, message: text))
                return false
            }
            (sent, written, sentAt, hasSentAll) = (0, 0, 0, false)
            return true
        }
    }
#endif
