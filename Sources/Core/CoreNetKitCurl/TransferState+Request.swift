#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    extension TransferState {
        /// Gives libcurl the next piece of the body.
        ///
        /// - Returns: libcurl's read callback result: a count, 0 at the end, a pause, or the end of the exchange.
        mutating func send(into buffer: UnsafeMutableRawPointer, count: Int) -> Int {
            // The rest is not wanted, and the connection is closed afterwards. Ending here sends chunked content's last
            // chunk, which RFC 2616, section 8.2.2, allows: aborting instead would lose the rest of the response.
            guard !sending.isRefusedEarly else { return 0 }
            guard sending.continueAt == 0 else {
                (sending.isPaused, sending.isHeld) = (true, true)
                return CNC_READFUNC_PAUSE
            }
            switch sending.upload.read(into: buffer, count: count) {
            case .bytes(let copied):
                link.lastActivity = loop.now
                sending.sent += Int64(copied)
                if let monitor = terms.monitor {
                    let sent = sending.sent
                    monitor.update { $0.bytesSent = sent }
                }
                // With a length, libcurl does not ask for the end.
                if sending.sent == sending.upload.length { noteSentAll() }
                return copied
            case .end:
                noteSentAll()
                return 0
            case .pause:
                sending.isPaused = true
                return CNC_READFUNC_PAUSE
            case .failure(let failure):
                refusal = .upload(failure)
                return CNC_READFUNC_ABORT
            }
        }

        private mutating func noteSentAll() {
            sending.isDone = true
            sending.sentAt = MonotonicTime.now()
        }

        /// Tells the monitor that the request is being sent, or sent again.
        func reportStart() {
            guard let monitor = terms.monitor else { return }
            let terms = terms
            monitor.update { state in
                state = ExchangeMonitor.State()
                state.bytesToSend = terms.bodyCount < 0 ? nil : terms.bodyCount
                if terms.isSentAtOnce { state.bytesSent = max(0, terms.bodyCount) }
            }
        }

        /// Goes back to the start of the body when libcurl repeats a request whose connection was dead.
        mutating func rewind() -> Bool {
            guard sending.sent > 0 else { return true }
            guard sending.upload.rewind() else {
                let text = "the connection died, and the body cannot be sent again"
                refusal = .upload(.init(code: .connectionLost, message: text))
                return false
            }
            (sending.sent, sending.written, sending.sentAt, sending.isDone) = (0, 0, 0, false)
            return true
        }
    }
#endif
