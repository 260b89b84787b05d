#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    /// An exchange over HTTP/3, which libcurl performs: its easy handle, by number, and what the callbacks record.
    final class EasyHandle: CurlExchange {
        /// The maximum number of bytes of one head; libcurl limits single lines only.
        static let headLimit = 1 << 20
        /// How long HTTP/3 may take to connect, in nanoseconds: a firewall that drops UDP says nothing, then TCP takes over.
        private static let longestConnect: Int64 = 500_000_000
        /// The pointer for an empty body: null would make libcurl call the read callback.
        private static let nothing: StaticString = ""

        let number: Int
        let easy: UnsafeMutableRawPointer
        let transfer: Transfer
        let loop: LoopState
        let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: CNC_ERROR_SIZE)
        private let lines: TextList
        /// What is left of the request's content; libcurl reads all of it again on another connection.
        @exclusivity(unchecked) var upload: UploadSource
        @exclusivity(unchecked) var isHeld = false
        /// Whether the response refuses content that is still being sent.
        @exclusivity(unchecked) var isEarly = false
        @exclusivity(unchecked) var link = Link()
        @exclusivity(unchecked) var remote: String?
        @exclusivity(unchecked) var refusal: Refusal?
        @exclusivity(unchecked) var hasNews = false
        @exclusivity(unchecked) var isOver = false

        init?(number: Int, _ transfer: Transfer, loop: LoopState, now: Int64) {
            guard let easy = loop.makeHandle() else { return nil }
            (self.number, self.easy, self.transfer, self.loop) = (number, easy, transfer, loop)
            lines = TextList(EasyHandle.lines(of: transfer))
            errorText.initialize(repeating: 0, count: CNC_ERROR_SIZE)
            upload = transfer.upload
            super.init()
            receiving = Receiving(transfer)
            if transfer.wire.expectsContinue { sending.continueDeadline = MonotonicTime.never }
            link.connectStartedAt = now
            if loop.options.verifiesServer { link.named = transfer.parameters.destination.certifiedKey }
            configure()
            set(transfer.wire)
        }

        deinit {
            cnc_easy_cleanup(easy)
            receiving.free()
            errorText.deallocate()
        }

        private func configure() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            cnc_easy_set_pointer(easy, CNCOPT_SHARE, loop.share)
            cnc_easy_set_pointer(easy, CNCOPT_PRIVATE, UnsafeRawPointer(bitPattern: number + 1))
            cnc_easy_set_pointer(easy, CNCOPT_ERRORBUFFER, errorText)
            for option in [
                CNCOPT_HEADERDATA, CNCOPT_WRITEDATA, CNCOPT_OPENSOCKETDATA, CNCOPT_PREREQDATA, CNCOPT_READDATA,
                CNCOPT_SEEKDATA, CNCOPT_DEBUGDATA,
            ] { cnc_easy_set_pointer(easy, option, context) }
            cnc_easy_set_number(easy, CNCOPT_HTTP_VERSION, CNC_HTTP_VERSION_3ONLY)
            cnc_easy_set_number(easy, CNCOPT_PIPEWAIT, 1)
            let limit = min(transfer.parameters.limits.connect, EasyHandle.longestConnect)
            cnc_easy_set_number(easy, CNCOPT_CONNECTTIMEOUT_MS, Int(limit / 1_000_000))
            // Large content is likely here: fewer reads.
            if receiving.content.kind == .stream { cnc_easy_set_number(easy, CNCOPT_BUFFERSIZE, 96 << 10) }
            loop.options.apply(to: easy, for: transfer.parameters.destination.key)
            if transfer.parameters.reportsSentHeaders {
                cnc_easy_set_debug_callback(easy, CurlCallbacks.recordSentHead)
                cnc_easy_set_number(easy, CNCOPT_VERBOSE, 1)
            }
            if transfer.resends.count > 0 { cnc_easy_set_number(easy, CNCOPT_FRESH_CONNECT, 1) }
        }

        private func set(_ wire: WireRequest) {
            _ = transfer.parameters.destination.url.withCString { cnc_easy_set_pointer(easy, CNCOPT_URL, $0) }
            if let target = transfer.parameters.destination.rewrittenTarget {
                _ = target.withCString { cnc_easy_set_pointer(easy, CNCOPT_REQUEST_TARGET, $0) }
            }
            cnc_easy_set_pointer(easy, CNCOPT_HTTPHEADER, lines.first)
            let usual: String
            switch wire.verb {
            case .get: usual = "GET"
            case .head:
                usual = "HEAD"
                cnc_easy_set_number(easy, CNCOPT_NOBODY, 1)
            case .post:
                usual = "POST"
                cnc_easy_set_number(easy, CNCOPT_POST, 1)
                cnc_easy_set_size(easy, CNCOPT_POSTFIELDSIZE_LARGE, Int64(wire.bodyCount))
                let body = wire.bodyCount > 0 ? wire.bytes + wire.headCount : .init(EasyHandle.nothing.utf8Start)
                cnc_easy_set_pointer(easy, CNCOPT_POSTFIELDS, body)
            case .upload:
                usual = "PUT"
                cnc_easy_set_number(easy, CNCOPT_UPLOAD, 1)
                cnc_easy_set_size(easy, CNCOPT_INFILESIZE_LARGE, upload.length ?? -1)
                cnc_easy_set_number(easy, CNCOPT_UPLOAD_BUFFERSIZE, 256 << 10)
                cnc_easy_set_data_callback(easy, CNCOPT_READFUNCTION, CurlCallbacks.upload)
                cnc_easy_set_seek_callback(easy, CurlCallbacks.rewind)
            }
            let method = String(decoding: wire.head.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            if method != usual { _ = method.withCString { cnc_easy_set_pointer(easy, CNCOPT_CUSTOMREQUEST, $0) } }
        }

        /// The fields of HTTP/1.1's head in libcurl's form; a name without a value keeps it from sending the field.
        private static func lines(of transfer: Transfer) -> [String] {
            let fields = HeaderLines.fields(in: transfer.wire.head, skipsFirst: true)
            func has(_ name: String) -> Bool { fields.contains { Headers.matches($0.name, name) } }
            var lines: [String] = []
            // libcurl looks at the first such line alone, and would send the request again whenever the server says 417: the
            // waiting is done here, and both lines together send the field.
            if transfer.wire.verb == .upload || transfer.wire.bodyCount > 0 || has("Expect") { lines.append("Expect:") }
            if !has("Accept") { lines.append("Accept:") }
            if transfer.wire.verb == .post, !has("Content-Type") { lines.append("Content-Type:") }
            for field in fields {
                switch field.name.lowercased() {
                // libcurl has its own, but would name the server with the dot.
                case "host" where !transfer.parameters.destination.hasDot, "content-length", "transfer-encoding":
                    continue
                // libcurl drops a field with an empty value unless it ends with a semicolon.
                default: lines.append(field.name + (field.value.isEmpty ? ";" : ": " + field.value))
                }
            }
            return lines
        }

        var isRefused: Bool { refusal != nil }
        var isWatched: Bool {
            if case .stream = transfer.parameters.receiver { true } else { transfer.wire.endsAtHead }
        }

        /// Tells the loop, once, that there is something to handle before the end of the exchange.
        func announce() {
            guard !hasNews else { return }
            hasNews = true
            loop.news.append(number)
        }

        /// Lets libcurl continue; what it kept comes at once, and a callback's refusal is the result of this call.
        func resume() -> Int {
            var mask = CNCPAUSE_CONT
            if receiving.isPaused { mask |= CNCPAUSE_RECV }
            if sending.isPaused { mask |= CNCPAUSE_SEND }
            return cnc_easy_pause(easy, mask)
        }

        /// Whether libcurl may be waiting for content, and not for the connection.
        var waitsForContent: Bool { if case .pump = upload { true } else { sending.continueDeadline != 0 } }

        /// Whether all of the response has arrived, as far as it is known how much that is.
        var isWhole: Bool {
            guard case .length(let length) = receiving.head?.framing else { return transfer.wire.isHead }
            return transfer.wire.isHead || receiving.content.received >= length
        }

        /// Whether more of the body was sent since the last check; libcurl counts it, but does not say when it left.
        func takeUploadProgress() -> Bool {
            let written = Int(cnc_easy_size(easy, CNCINFO_SIZE_UPLOAD_T))
            defer { sending.written = written }
            return written > sending.written
        }

        /// Closes the connection, unless others share it, when the handle is taken from its multi handle.
        func closeConnection() { cnc_easy_set_number(easy, CNCOPT_FORBID_REUSE, 1) }

        /// The request's progress on all connections together, which decides whether it may be resent; libcurl does not
        /// say how much it had written: a request on a connection counts as written.
        var progress: RequestProgress {
            if link.before.evidence == .possiblyProcessed { return link.before }
            if receiving.firstByteAt != 0 { return .responded }
            return connectedAt != 0 && link.isNewConnection ? .refused : .all
        }
    }

    extension EasyHandle {
        struct Link {
            var connectStartedAt: Int64 = 0
            /// The request's progress on connections that libcurl has given up.
            var before = RequestProgress.nothing
            var named: String?
            var openedSocket = false
            /// Whether HTTP/3 was used, for the loop to note.
            var hasHTTP3: Bool?
            var isNewConnection = false
            var socket: Int32 = -1
        }
    }
#endif
