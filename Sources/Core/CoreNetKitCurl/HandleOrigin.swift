#if os(Linux)
    import CNetCurl

    /// What all easy handles of a loop have in common, and how they are made; belongs to the owner thread.
    final class HandleOrigin {
        let options: CurlOptions
        let share: UnsafeMutableRawPointer?
        /// The context of the callback that closes sockets.
        private let context: UnsafeMutableRawPointer
        /// Never used for an exchange: copying it is cheaper than setting each option again.
        private let pattern: UnsafeMutableRawPointer

        init?(options: CurlOptions, share: UnsafeMutableRawPointer?, loop: LoopState) {
            guard let pattern = cnc_easy_init() else { return nil }
            self.options = options
            self.share = share
            self.pattern = pattern
            context = loop.context
            configure(pattern)
        }

        deinit { cnc_easy_cleanup(pattern) }

        /// A new handle with the common options.
        func make() -> UnsafeMutableRawPointer? { cnc_easy_copy(pattern) }

        /// Sets the common options on a handle that has none.
        func configure(_ easy: UnsafeMutableRawPointer) {
            options.apply(to: easy)
            cnc_easy_set_data_callback(easy, CNCOPT_HEADERFUNCTION, CurlCallbacks.header)
            cnc_easy_set_data_callback(easy, CNCOPT_WRITEFUNCTION, CurlCallbacks.content)
            cnc_easy_set_open_callback(easy, CurlCallbacks.open)
            cnc_easy_set_close_callback(easy, CurlCallbacks.closed)
            cnc_easy_set_pointer(easy, CNCOPT_CLOSESOCKETDATA, context)
            cnc_easy_set_prereq_callback(easy, CurlCallbacks.connected)
        }
    }
#endif
