#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    /// One pooled easy handle with its state; belongs to the owner thread.
    ///
    /// libcurl gives back its number, not its address: another handle may reuse an address.
    final class EasyHandle {
        let number: Int
        @exclusivity(unchecked) private(set) var easy: UnsafeMutableRawPointer
        let state: UnsafeMutablePointer<TransferState>
        private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: CNC_ERROR_SIZE)
        private let origin: HandleOrigin
        private var options: CurlOptions { origin.options }
        /// The parsed URL: otherwise libcurl parses it for each exchange.
        private let parsedURL: UnsafeMutableRawPointer
        @exclusivity(unchecked) private var parsedText = ""
        @exclusivity(unchecked) private var isParsed = false
        @exclusivity(unchecked) var transfer: Transfer?

        // What the handle was last told, so that equal exchanges set nothing again.
        @exclusivity(unchecked) private var verb = WireRequest.Verb.get
        @exclusivity(unchecked) private var url = ""
        @exclusivity(unchecked) private var hasMethod = false
        @exclusivity(unchecked) private var connectLimit: Int64 = 0
        @exclusivity(unchecked) private var listens = false
        @exclusivity(unchecked) private var needsReset = false

        init?(number: Int, origin: HandleOrigin, loop: LoopState) {
            guard let parsedURL = cnc_url_init() else { return nil }
            guard let easy = origin.make() else {
                cnc_url_cleanup(parsedURL)
                return nil
            }
            self.parsedURL = parsedURL
            self.number = number
            self.easy = easy
            self.origin = origin
            state = .allocate(capacity: 1)
            state.initialize(to: TransferState(number: number, easy: easy, loop: loop, errorText: errorText))
            errorText.initialize(repeating: 0, count: CNC_ERROR_SIZE)
            configure()
        }

        /// Replaces the handle by a fresh one if this libcurl keeps too much of the previous exchange.
        ///
        /// - Returns: Whether there is one.
        func renew() -> Bool {
            guard let fresh = origin.make() else { return false }
            cnc_easy_cleanup(easy)
            easy = fresh
            state.pointee.easy = fresh
            configure()
            return true
        }

        deinit {
            cnc_easy_cleanup(easy)
            cnc_url_cleanup(parsedURL)
            state.pointee.reset()
            state.deinitialize(count: 1)
            state.deallocate()
            errorText.deallocate()
        }

        /// Whether the connection of its exchange goes through a proxy.
        var usesProxy: Bool { transfer.map { options.usesProxy(to: $0.terms.destination) } ?? false }

        /// libcurl's own description of the failure.
        var message: String { String(cString: errorText) }

        /// Sets what belongs to this handle alone.
        private func configure() {
            cnc_easy_set_pointer(easy, CNCOPT_SHARE, origin.share)
            cnc_easy_set_pointer(easy, CNCOPT_PRIVATE, UnsafeRawPointer(bitPattern: number + 1))
            cnc_easy_set_pointer(easy, CNCOPT_ERRORBUFFER, errorText)
            cnc_easy_set_pointer(easy, CNCOPT_HEADERDATA, state)
            cnc_easy_set_pointer(easy, CNCOPT_WRITEDATA, state)
            cnc_easy_set_pointer(easy, CNCOPT_OPENSOCKETDATA, state)
            cnc_easy_set_pointer(easy, CNCOPT_PREREQDATA, state)
            cnc_easy_set_number(easy, CNCOPT_HTTP_VERSION, CNC_HTTP_VERSION_3ONLY)
            cnc_easy_set_number(easy, CNCOPT_PIPEWAIT, 1)
            (url, verb, hasMethod) = ("", .get, false)
            (connectLimit, listens, needsReset) = (0, false, false)
        }

        /// Sets what this exchange needs.
        func prepare(_ transfer: Transfer, now: Int64) {
            self.transfer = transfer
            begin(transfer, now: now)
            errorText.pointee = 0
            if needsReset {
                cnc_easy_reset(easy)
                origin.configure(easy)
                configure()
            }
            setPlace(transfer.terms.destination, transfer.wire)
            setMessage(transfer.wire)
            setConnection(transfer)
            setRarities(transfer)
        }

        private func begin(_ transfer: Transfer, now: Int64) {
            state.pointee.reset()
            state.pointee.terms = TransferState.Terms(transfer, options)
            swap(&state.pointee.response.head, &transfer.outcome.head)
            state.pointee.response.content = ContentSink(transfer.terms.receiver)
            swap(&state.pointee.response.content.bytes, &transfer.outcome.body)
            state.pointee.sending.upload = transfer.upload
            if transfer.wire.expectsContinue { state.pointee.sending.continueAt = MonotonicTime.never }
            state.pointee.link.connectStartedAt = now
            if options.verifiesServer, transfer.terms.destination.isSecure {
                state.pointee.link.named = transfer.terms.destination.certifiedKey
            }
        }

        private func setPlace(_ destination: borrowing Destination, _ wire: WireRequest) {
            if destination.url != url {
                url = destination.url
                // The text too: libcurl uses it when it repeats a request whose connection was dead.
                cnc_easy_set_pointer(easy, CNCOPT_URL, wire.block.url)
                if url != parsedText {
                    parsedText = url
                    isParsed = cnc_url_parse(parsedURL, wire.block.url)
                }
                cnc_easy_set_pointer(easy, CNCOPT_CURLU, isParsed ? parsedURL : nil)
            }
            // A proxy that is not a tunnel gets the whole URL.
            if CurlLibrary.rewritesTargets, let target = destination.rewrittenTarget,
                destination.isSecure || !options.mayUseProxy
            {
                _ = target.withCString { cnc_easy_set_pointer(easy, CNCOPT_REQUEST_TARGET, $0) }
                needsReset = true
            }
        }

        private func setMessage(_ wire: WireRequest) {
            cnc_easy_set_pointer(easy, CNCOPT_HTTPHEADER, wire.block.headers)
            if wire.verb != verb || wire.verb == .post || wire.verb == .upload { set(wire) }
            if hasMethod || wire.block.method != nil {
                cnc_easy_set_pointer(easy, CNCOPT_CUSTOMREQUEST, wire.block.method)
                hasMethod = wire.block.method != nil
            }
        }

        private func setConnection(_ transfer: Transfer) {
            // A firewall that drops UDP says nothing: then TCP takes over.
            let limit = min(transfer.terms.limits.connect, EasyHandle.longestConnect)
            guard limit != connectLimit else { return }
            connectLimit = limit
            cnc_easy_set_number(easy, CNCOPT_CONNECTTIMEOUT_MS, Int(limit / 1_000_000))
        }

        /// How long HTTP/3 may take to connect, in nanoseconds.
        private static let longestConnect: Int64 = 500_000_000

        /// Sets what few exchanges want: the handle is reset before its next exchange.
        private func setRarities(_ transfer: Transfer) {
            // Large content is likely here: fewer reads.
            if state.pointee.response.content.kind == .stream {
                cnc_easy_set_number(easy, CNCOPT_BUFFERSIZE, 96 << 10)
                needsReset = true
            }
            if options.apply(to: easy, for: transfer.terms.destination.key) { needsReset = true }
            if state.pointee.terms.keepsSentHead != listens {
                listens = !listens
                cnc_easy_set_debug_callback(easy, CurlCallbacks.told)
                cnc_easy_set_pointer(easy, CNCOPT_DEBUGDATA, state)
                cnc_easy_set_number(easy, CNCOPT_VERBOSE, listens ? 1 : 0)
            }
            if transfer.resends.count > 0 {
                cnc_easy_set_number(easy, CNCOPT_FRESH_CONNECT, 1)
                needsReset = true
            }
        }

        /// Lets libcurl continue if there is no reason to pause any more.
        ///
        /// libcurl immediately hands over what it kept: a callback's refusal is the result of this call.
        func resume() -> Int { cnc_easy_pause(easy, pauseMask) }

        private var pauseMask: Int {
            var mask = CNCPAUSE_CONT
            if state.pointee.response.isPaused { mask |= CNCPAUSE_RECV }
            if state.pointee.sending.isPaused { mask |= CNCPAUSE_SEND }
            return mask
        }

        /// Whether more of the body was sent since the last check; libcurl counts it, but does not say when it left.
        func hasWritten() -> Bool {
            let written = cnc_easy_size(easy, CNCINFO_SIZE_UPLOAD_T)
            defer { state.pointee.sending.written = written }
            return written > state.pointee.sending.written
        }

        /// Closes the connection, unless others share it, when the handle is taken from its multi handle.
        func closeConnection() {
            cnc_easy_set_number(easy, CNCOPT_FORBID_REUSE, 1)
            needsReset = true
        }

        private func set(_ wire: WireRequest) {
            verb = wire.verb
            switch wire.verb {
            case .get: cnc_easy_set_number(easy, CNCOPT_HTTPGET, 1)
            case .head: cnc_easy_set_number(easy, CNCOPT_NOBODY, 1)
            case .post:
                cnc_easy_set_number(easy, CNCOPT_POST, 1)
                cnc_easy_set_size(easy, CNCOPT_POSTFIELDSIZE_LARGE, Int64(wire.bodyCount))
                cnc_easy_set_pointer(
                    easy,
                    CNCOPT_POSTFIELDS,
                    wire.block.body ?? UnsafeRawPointer(EasyHandle.nothing.utf8Start)
                )
            case .upload:
                needsReset = true
                cnc_easy_set_number(easy, CNCOPT_UPLOAD, 1)
                cnc_easy_set_size(easy, CNCOPT_INFILESIZE_LARGE, state.pointee.sending.upload.length ?? -1)
                cnc_easy_set_number(easy, CNCOPT_UPLOAD_BUFFERSIZE, 256 << 10)
                cnc_easy_set_data_callback(easy, CNCOPT_READFUNCTION, CurlCallbacks.upload)
                cnc_easy_set_pointer(easy, CNCOPT_READDATA, state)
                cnc_easy_set_seek_callback(easy, CurlCallbacks.rewind)
                cnc_easy_set_pointer(easy, CNCOPT_SEEKDATA, state)
            }
        }

        /// The pointer for an empty body: null would make libcurl call the read callback.
        private static let nothing: StaticString = ""

        /// The connect limit for libcurl, which gives half of it to the first address; the loop's own limit expires first.
        static func milliseconds(_ limit: Int64) -> Int {
            Int(min((limit / 1_000_000).saturatingAdd(100), Int64(Int32.max) / 2) * 2)
        }
    }
#endif
