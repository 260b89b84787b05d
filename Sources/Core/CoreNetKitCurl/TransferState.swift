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
            /// A status line says HTTP/2 on an HTTP/1.1 connection.
            case versionAsText
            /// The fields of a head contradict each other about the content's length.
            case malformed(WireFault)
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
        /// Whether the handle was told not to keep the connection.
        var isForbidden = false
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
        var isDecoded: Bool { terms.isDecoding && response.codings.canBeUndone }

        /// Whether the content's end is marked: on the wire, or by its coding, which is checked for collected content.
        var isDelimited: Bool {
            if terms.hasNoContent || response.isDelimited { return true }
            return response.version == "2" && isDecoded && response.content.kind == .memory
                && response.content.received > 0
        }

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

        /// Whether the server has closed its side: newer libcurl checks that at most once a second, and sends anyway.
        private var isEndedByServer: Bool {
            guard link.socket >= 0 else { return false }
            // POLLRDHUP, which Glibc defines only for GNU sources.
            let ended: Int16 = 0x2000
            var place = pollfd(fd: link.socket, events: ended, revents: 0)
            return poll(&place, 1, 0) > 0 && place.revents & (ended | Int16(POLLHUP) | Int16(POLLERR)) != 0
        }

        /// The connection is writable; called again when libcurl repeats the request on another connection.
        ///
        /// libcurl asks for a rewind only if part of the body was written, and loses bytes that it had read but not
        /// written: so the body always starts anew here.
        /// - Returns: Whether the request can be sent.
        mutating func connected(remoteIP: UnsafePointer<CChar>?, remotePort: Int32, localPort: Int32) -> Bool {
            if link.connectedAt != 0 { noteEnd() }
            if link.before != .nothing,
                response.headIsComplete
                    || !(link.before.evidence == .unseen ? terms.mayRepeatUnseen : terms.mayRepeatSeen)
            {
                refusal = .repetition
                return false
            }
            guard rewind() else { return false }
            link.wasRefused = false
            let now = MonotonicTime.now()
            (link.connectedAt, link.lastActivity) = (now, now)
            if terms.isSentAtOnce { sending.sentAt = now }
            if sending.continueAt != 0 {
                sending.continueAt = MonotonicTime.after(now, CurlLoop.continuePatience)
                announce()
            }
            remote.update(remoteIP, remotePort)
            enter(remoteIP, remotePort, localPort)
            if terms.isSecure {
                if link.isNewConnection, let named = link.named, !CurlLibrary.isNamed(named, on: easy) {
                    refusal = .misnamed
                    return false
                }
                noteTLS()
            }
            reportStart()
            return true
        }

        /// Finds the connection that libcurl has chosen.
        private mutating func enter(_ remoteIP: UnsafePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32) {
            link.isNewConnection = link.openedSocket
            if link.isNewConnection {
                loop.made += 1
                if terms.isSecure { loop.handshakes += 1 }
            }
            if !link.openedSocket { link.socket = -1 }
            link.connection = loop.connections.found(remoteIP, remotePort, localPort, newSocket: link.socket)
            link.socket = link.connection.descriptor
            // Irrelevant if the request may be repeated anyway.
            link.wasDead = !link.isNewConnection && !terms.mayRepeatSeen && !link.connection.isHTTP2 && isEndedByServer
            if link.openedSocket {
                link.connection.isReplaced = loop.attempts[number]?.isReplaced == true
                if link.connection.isReplaced { loop.connections.note(link.connection) }
                loop.settle(number, keeping: link.socket)
            }
            if link.connection.isReplaced { remote.update(peerOf: link.socket) }
            link.openedSocket = false
        }

        /// What the handshake has agreed on.
        private mutating func noteTLS() {
            if link.connection.tls == nil, let details = CurlLibrary.tlsDetails(of: easy) {
                link.connection.tls = details
                loop.connections.note(link.connection)
            }
            guard !terms.keepsHTTP1 else { return }
            // A reused connection is never HTTP/1.1.
            switch link.isNewConnection ? cnc_easy_alpn(easy) : Int(CNC_ALPN_NEWER) {
            case Int(CNC_ALPN_HTTP1): found(.http1)
            case Int(CNC_ALPN_NEWER): found(.newer)
            default: break  // The head will tell.
            }
        }

        /// The server speaks a version; an HTTP/1.1 connection is not reused, so that no leftover bytes wait on it for
        /// a later request.
        mutating func found(_ version: SpokenVersion) {
            if version == .http1, !terms.keepsHTTP1, !isForbidden {
                isForbidden = true
                cnc_easy_set_number(easy, CNCOPT_FORBID_REUSE, 1)
            }
            guard terms.isSecure, terms.asks || version == .http1, link.spoken != version else { return }
            link.spoken = version
            announce()
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
            return wasRefusedUnseen ? .refused : .all
        }

        /// Whether the server has refused the request's stream, or had ended the connection before the request was
        /// sent: in both cases it has done nothing with it.
        ///
        /// On a connection made for the request, only this makes libcurl send it again. On a kept one the end of the
        /// connection does too; then libcurl reports what it learned, and there is no message here.
        private var wasRefusedUnseen: Bool {
            if link.connectedAt != 0, link.isNewConnection || link.wasDead { return true }
            if link.wasRefused { return true }
            guard link.connection.isHTTP2, CurlWords.lackRefusedStreams else { return false }
            return errorText.pointee == 0 || CurlWords.tellOfGivingUp(errorText)
        }

        /// The head says HTTP/2.
        mutating func noteHTTP2() {
            response.version = "2"
            guard !link.connection.isHTTP2 else { return }
            link.connection.isHTTP2 = true
            loop.connections.note(link.connection)
        }
    }
#endif
