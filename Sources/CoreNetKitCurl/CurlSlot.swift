#if os(Linux)
    import CoreNetKitHTTP
    import CNetCurl

    /// One pooled easy handle with its state; belongs to the owner thread.
    ///
    /// Its number, not its address, is what libcurl gives back: an address may be used again by another handle.
    final class CurlSlot {
        let number: Int
        @exclusivity(unchecked) private(set) var easy: UnsafeMutableRawPointer
        let exchange: UnsafeMutablePointer<Exchange>
        private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: CNC_ERROR_SIZE)
        private let options: CurlOptions
        private let share: UnsafeMutableRawPointer?
        /// The URL taken apart: else libcurl does it again for each exchange.
        private let parsedURL: UnsafeMutableRawPointer
        @exclusivity(unchecked) private var parsedText = ""
        @exclusivity(unchecked) private var isParsed = false
        @exclusivity(unchecked) var transfer: Transfer?

        // What the handle was last told, so that equal exchanges set nothing again.
        @exclusivity(unchecked) private var verb = TransferPlan.Verb.get
        @exclusivity(unchecked) private var url = ""
        @exclusivity(unchecked) private var hasMethod = false
        @exclusivity(unchecked) private var connectLimit: Int64 = 0
        @exclusivity(unchecked) private var waitsForHTTP2 = false
        @exclusivity(unchecked) private var asksForCoding = true
        @exclusivity(unchecked) private var needsReset = false

        init?(number: Int, options: CurlOptions, board: LoopBoard, share: UnsafeMutableRawPointer?) {
            guard let parsedURL = cnc_url_init() else { return nil }
            guard let easy = cnc_easy_init() else {
                cnc_url_cleanup(parsedURL)
                return nil
            }
            self.parsedURL = parsedURL
            self.number = number
            self.easy = easy
            self.options = options
            self.share = share
            exchange = .allocate(capacity: 1)
            exchange.initialize(to: Exchange(number: number, easy: easy, board: board, errorText: errorText))
            errorText.initialize(repeating: 0, count: CNC_ERROR_SIZE)
            configure()
        }

        /// Gets a handle that knows nothing of the exchange before, where a libcurl keeps too much of it.
        ///
        /// - Returns: Whether there is one.
        func renew() -> Bool {
            guard let fresh = cnc_easy_init() else { return false }
            cnc_easy_cleanup(easy)
            easy = fresh
            exchange.pointee.easy = fresh
            configure()
            return true
        }

        deinit {
            cnc_easy_cleanup(easy)
            cnc_url_cleanup(parsedURL)
            exchange.pointee.reset()
            exchange.deinitialize(count: 1)
            exchange.deallocate()
            errorText.deallocate()
        }

        /// Whether connections go to a proxy, as far as is known.
        var usesProxy: Bool { options.usesProxy }

        /// libcurl's own words on the failure.
        var message: String { String(cString: errorText) }

        private func configure() {
            options.apply(to: easy)
            cnc_easy_set_pointer(easy, CNCOPT_SHARE, share)
            cnc_easy_set_pointer(easy, CNCOPT_PRIVATE, UnsafeRawPointer(bitPattern: number + 1))
            cnc_easy_set_pointer(easy, CNCOPT_ERRORBUFFER, errorText)
            cnc_easy_set_data_callback(easy, CNCOPT_HEADERFUNCTION, CurlCallbacks.header)
            cnc_easy_set_pointer(easy, CNCOPT_HEADERDATA, exchange)
            cnc_easy_set_data_callback(easy, CNCOPT_WRITEFUNCTION, CurlCallbacks.content)
            cnc_easy_set_pointer(easy, CNCOPT_WRITEDATA, exchange)
            cnc_easy_set_open_callback(easy, CurlCallbacks.open)
            cnc_easy_set_pointer(easy, CNCOPT_OPENSOCKETDATA, exchange)
            cnc_easy_set_close_callback(easy, CurlCallbacks.closed)
            cnc_easy_set_pointer(easy, CNCOPT_CLOSESOCKETDATA, exchange.pointee.board.context)
            cnc_easy_set_prereq_callback(easy, CurlCallbacks.connected)
            cnc_easy_set_pointer(easy, CNCOPT_PREREQDATA, exchange)
            (url, verb, hasMethod) = ("", .get, false)
            (connectLimit, waitsForHTTP2, asksForCoding, needsReset) = (0, false, true, false)
        }

        /// Sets what this exchange needs.
        func prepare(_ transfer: Transfer, now: Int64) {
            self.transfer = transfer
            exchange.pointee.reset()
            swap(&exchange.pointee.head, &transfer.head)
            swap(&exchange.pointee.body, &transfer.body)
            exchange.pointee.receive(as: transfer.receiver, endsAtHead: transfer.plan.endsAtHead)
            exchange.pointee.connectStartedAt = now
            exchange.pointee.upload = transfer.upload
            exchange.pointee.mayRepeatSeen = transfer.mayRepeatSeen
            exchange.pointee.mayRepeatUnseen = transfer.mayRepeatUnseen
            exchange.pointee.isSentAtOnce = transfer.plan.verb != .upload || transfer.upload.length == 0
            exchange.pointee.isSecure = transfer.destination.isSecure
            exchange.pointee.isDecoding = transfer.plan.asksForCoding
            exchange.pointee.hasNoContent = transfer.plan.verb == .head || transfer.plan.endsAtHead
            exchange.pointee.monitor = transfer.monitor
            exchange.pointee.bodyCount = transfer.bodyCount
            exchange.pointee.mayShareConnection =
                options.speaksHTTP2AtOnce || (transfer.destination.isSecure && options.negotiatesHTTP2)
            errorText.pointee = 0
            if needsReset {
                cnc_easy_reset(easy)
                configure()
            }
            let plan = transfer.plan
            if transfer.destination.url != url {
                url = transfer.destination.url
                // The text too: libcurl goes by it when it repeats a request whose connection was dead.
                cnc_easy_set_pointer(easy, CNCOPT_URL, plan.wire.url)
                if url != parsedText {
                    parsedText = url
                    isParsed = cnc_url_parse(parsedURL, plan.wire.url)
                }
                cnc_easy_set_pointer(easy, CNCOPT_CURLU, isParsed ? parsedURL : nil)
            }
            cnc_easy_set_pointer(easy, CNCOPT_HTTPHEADER, plan.wire.headers)
            if plan.verb != verb || plan.verb == .post || plan.verb == .upload { set(plan) }
            if hasMethod || plan.wire.method != nil {
                cnc_easy_set_pointer(easy, CNCOPT_CUSTOMREQUEST, plan.wire.method)
                hasMethod = plan.wire.method != nil
            }
            if transfer.limits.connect != connectLimit {
                connectLimit = transfer.limits.connect
                cnc_easy_set_number(easy, CNCOPT_CONNECTTIMEOUT_MS, CurlSlot.milliseconds(connectLimit))
            }
            // Only where TLS may choose HTTP/2: others would wait for a connection they cannot share.
            let waits = transfer.destination.isSecure && options.negotiatesHTTP2
            if waits != waitsForHTTP2 {
                waitsForHTTP2 = waits
                cnc_easy_set_number(easy, CNCOPT_PIPEWAIT, waits ? 1 : 0)
            }
            if transfer.plan.asksForCoding != asksForCoding {
                asksForCoding = transfer.plan.asksForCoding
                cnc_easy_set_pointer(easy, CNCOPT_ACCEPT_ENCODING, asksForCoding ? CurlSlot.nothing.utf8Start : nil)
            }
            // Where large content is likely: fewer reads.
            let buffer = exchange.pointee.sink == .stream ? 96 << 10 : 16 << 10
            exchange.pointee.bufferSize = Int64(buffer)
            exchange.pointee.expansion = ExpansionGuard(options.expansion)
            if exchange.pointee.sink == .stream {
                cnc_easy_set_number(easy, CNCOPT_BUFFERSIZE, buffer)
                needsReset = true
            }
            if options.apply(to: easy, for: transfer.destination.key) { needsReset = true }
            if transfer.reportsSentHeaders {
                cnc_easy_set_debug_callback(easy, CurlCallbacks.sentHead)
                cnc_easy_set_pointer(easy, CNCOPT_DEBUGDATA, exchange)
                cnc_easy_set_number(easy, CNCOPT_VERBOSE, 1)
                needsReset = true
            }
            if transfer.hasRetried {
                cnc_easy_set_number(easy, CNCOPT_FRESH_CONNECT, 1)
                needsReset = true
            }
        }

        /// Lets libcurl go on where there is no reason to pause any more.
        ///
        /// libcurl hands over at once what it kept meanwhile: a callback's refusal is this call's result.
        func resume() -> Int { cnc_easy_pause(easy, pauseMask) }

        /// Has libcurl read no more, from outside of its callbacks.
        func pauseReceiving() {
            exchange.pointee.isReceivePaused = true
            _ = cnc_easy_pause(easy, pauseMask)
        }

        private var pauseMask: Int {
            var mask = CNCPAUSE_CONT
            if exchange.pointee.isReceivePaused { mask |= CNCPAUSE_RECV }
            if exchange.pointee.isSendPaused { mask |= CNCPAUSE_SEND }
            return mask
        }

        /// Has the connection closed, unless others share it, when the handle is taken from its multi handle.
        ///
        /// HTTP/1.1 closes it anyway. For HTTP/2 libcurl 7.88 makes a RST_STREAM, but sends it only with the next frame
        /// of another stream: without one the server would never hear of the end.
        func closeConnection() {
            cnc_easy_set_number(easy, CNCOPT_FORBID_REUSE, 1)
            needsReset = true
        }

        private func set(_ plan: TransferPlan) {
            verb = plan.verb
            switch plan.verb {
            case .get: cnc_easy_set_number(easy, CNCOPT_HTTPGET, 1)
            case .head: cnc_easy_set_number(easy, CNCOPT_NOBODY, 1)
            case .post:
                cnc_easy_set_number(easy, CNCOPT_POST, 1)
                cnc_easy_set_size(easy, CNCOPT_POSTFIELDSIZE_LARGE, Int64(plan.bodyCount))
                cnc_easy_set_pointer(
                    easy,
                    CNCOPT_POSTFIELDS,
                    plan.wire.body ?? UnsafeRawPointer(CurlSlot.nothing.utf8Start)
                )
            case .upload:
                needsReset = true
                cnc_easy_set_number(easy, CNCOPT_UPLOAD, 1)
                cnc_easy_set_size(easy, CNCOPT_INFILESIZE_LARGE, exchange.pointee.upload.length ?? -1)
                cnc_easy_set_number(easy, CNCOPT_UPLOAD_BUFFERSIZE, 256 << 10)
                cnc_easy_set_data_callback(easy, CNCOPT_READFUNCTION, CurlCallbacks.upload)
                cnc_easy_set_pointer(easy, CNCOPT_READDATA, exchange)
                cnc_easy_set_seek_callback(easy, CurlCallbacks.rewind)
                cnc_easy_set_pointer(easy, CNCOPT_SEEKDATA, exchange)
            }
        }

        /// Where an empty body points to: null would make libcurl ask the read callback.
        private static let nothing: StaticString = ""

        /// The connect limit for libcurl, which divides it among a host's addresses; the loop's own strikes before it.
        private static func milliseconds(_ limit: Int64) -> Int {
            Int(min(limit / 1_000_000 + 100, Int64(Int32.max)))
        }
    }
#endif
