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

    /// What libcurl's callbacks read and write for one exchange; its address is stable while its easy handle lives.
    ///
    /// A plain value behind a pointer: the callbacks run for each header line and each piece of content, without
    /// reference counting, locks or calls into libcurl.
    struct TransferState {
        /// Why a callback ended the exchange.
        enum Refusal {
            case none
            case tooLarge(limit: Int)
            case outOfMemory
            case headTooLarge
            /// Content arrived before a head.
            case headMissing
            /// A status line says another version than HTTP/3.
            case versionAsText
            /// libcurl was about to resend a request that the server may have seen, or has already responded to.
            case repetition
            /// The certificate does not have the server's name.
            case misnamed
            case upload(UploadSource.Failure)
        }

        /// The maximum number of bytes of one head; libcurl limits single lines only.
        static let headLimit = 1 << 20

        var terms = Terms()
        var sending = Sending()
        var response = Response()
        var link = Link()
        var refusal = Refusal.none
        var hasNews = false
        /// libcurl's error message, empty while there is none.
        let errorText: UnsafeMutablePointer<CChar>
        var remote = RemoteAddress()
        let loop: LoopState
        var easy: UnsafeMutableRawPointer
        /// The handle's number.
        let number: Int

        /// Tells the loop, once, that there is something to handle before the end of the exchange.
        mutating func announce() {
            guard !hasNews else { return }
            hasNews = true
            loop.news.append(number)
        }

        init(number: Int, easy: UnsafeMutableRawPointer, loop: LoopState, errorText: UnsafeMutablePointer<CChar>) {
            self.number = number
            self.easy = easy
            self.loop = loop
            self.errorText = errorText
        }

        /// Resets the state for the next exchange.
        mutating func reset() {
            response.free()
            sending.sentHead.free()
            (terms, sending, response, link) = (Terms(), Sending(), Response(), Link())
            (refusal, hasNews) = (.none, false)
        }

        /// Whether the content handed on differs from that on the wire.
        var isDecoded: Bool { terms.isDecoding && response.known?.codings.canBeUndone == true }

        var isRefused: Bool { if case .none = refusal { false } else { true } }

        /// A new connection begins: the first, or another one because a kept one was dead.
        mutating func opened(_ descriptor: Int32, _ address: UnsafePointer<cnc_address>) {
            link.openedSocket = true
            loop.opened(descriptor, address, by: number)
            link.socket = descriptor
            guard link.connectedAt != 0 else { return }
            noteEnd()
            link.connectStartedAt = MonotonicTime.now()
        }

        /// Whether TCP is connected, perhaps not yet TLS; libcurl reports only when both are.
        var isSocketConnected: Bool { socketIsConnected(link.socket) }

        /// The connection is writable; called again when libcurl repeats the request on another connection.
        ///
        /// libcurl asks for a rewind only if part of the body was written, and loses bytes that it had read but not
        /// written: so the body always starts anew here.
        /// - Returns: Whether the request can be sent.
        mutating func connected(remoteIP: UnsafePointer<CChar>?, remotePort: Int32) -> Bool {
            if link.connectedAt != 0 { noteEnd() }
            if link.before != .nothing,
                response.headIsComplete
                    || !(link.before.evidence == .unseen ? terms.mayRepeatUnseen : terms.mayRepeatSeen)
            {
                refusal = .repetition
                return false
            }
            guard rewind() else { return false }
            let now = MonotonicTime.now()
            (link.connectedAt, link.lastActivity) = (now, now)
            if terms.isSentAtOnce { sending.sentAt = now }
            if sending.continueAt != 0 {
                sending.continueAt = MonotonicTime.after(now, CurlLoop.continueTimeout)
                announce()
            }
            remote.update(remoteIP, remotePort)
            enter()
            if terms.isSecure {
                if link.isNewConnection, let named = link.named, !CurlLibrary.isNamed(named, on: easy) {
                    refusal = .misnamed
                    return false
                }
            }
            reportStart()
            return true
        }

        /// Finds the connection that libcurl has chosen.
        private mutating func enter() {
            link.isNewConnection = link.openedSocket
            if link.isNewConnection {
                loop.made += 1
                if terms.isSecure { loop.handshakes += 1 }
            }
            if link.isNewConnection { loop.settle(number, keeping: link.socket) } else { link.socket = -1 }
            link.openedSocket = false
        }

        /// libcurl has given up a connection on which the request was sent, or about to be.
        private mutating func noteEnd() {
            link.before = progress
            (link.connectedAt, sending.sentAt) = (0, 0)
        }

        /// The request's progress on all connections together: the one value that decides whether it may be resent.
        ///
        /// libcurl does not say what it had written before the end: a request on a connection counts as written.
        var progress: RequestProgress {
            if link.before.evidence == .perhapsSeen { return link.before }
            if response.firstByteAt != 0 { return .responded }
            return link.connectedAt != 0 && link.isNewConnection ? .refused : .all
        }
    }
#endif
