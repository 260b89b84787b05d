#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    extension Exchange {
        /// Gives libcurl the next piece of the body.
        ///
        /// - Returns: What libcurl's read callback returns: a count, 0 at the end, a pause, or the end of the exchange.
        mutating func send(into buffer: UnsafeMutableRawPointer, count: Int) -> Int {
            switch upload.read(into: buffer, count: count) {
            case .bytes(let copied):
                lastActivity = board.now
                sent += Int64(copied)
                // With a length, libcurl does not ask for the end.
                if sent == upload.length { sentAt = MonotonicTime.now() }
                return copied
            case .end:
                sentAt = MonotonicTime.now()
                return 0
            case .pause:
                isSendPaused = true
                return CNC_READFUNC_PAUSE
            case .failure(let failure):
                refusal = .upload(failure)
                return CNC_READFUNC_ABORT
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
            (sent, written, sentAt) = (0, 0, 0)
            return true
        }
    }
#endif
