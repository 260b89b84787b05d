#if os(Linux)
    import CoreNetKitSystem
    import CNetCurl

    /// A multi handle of libcurl and its timer; belongs to the owner thread.
    ///
    /// One serves all exchanges of libcurl's own lane. Our TLS connections use further ones with few connections each:
    /// before 8.x libcurl searches all connections of its multi handle each time it moves bytes.
    final class MultiHandle {
        /// The maximum number of our connections in one.
        static let room = 16

        /// Its place in ``SocketSet/multis``.
        let number: Int
        let pointer: UnsafeMutableRawPointer
        private unowned let sockets: SocketSet
        /// When libcurl wants to continue even if no socket is ready.
        @exclusivity(unchecked) fileprivate(set) var timer = MonotonicTime.never
        /// Our connections in it, made or being made.
        @exclusivity(unchecked) var connectors = 0

        init?(number: Int, sockets: SocketSet, connections: Int) {
            guard let pointer = cnc_multi_init() else { return nil }
            (self.number, self.pointer, self.sockets) = (number, pointer, sockets)
            cnc_multi_set_number(pointer, CNCMOPT_PIPELINING, CNCPIPE_MULTIPLEX)
            cnc_multi_set_number(pointer, CNCMOPT_MAXCONNECTS, min(connections, 1 << 20))
            cnc_multi_set_watch_callback(pointer, CurlCallbacks.watched)
            cnc_multi_set_pointer(pointer, CNCMOPT_SOCKETDATA, context)
            cnc_multi_set_timer_callback(pointer, CurlCallbacks.timed)
            cnc_multi_set_pointer(pointer, CNCMOPT_TIMERDATA, context)
        }

        /// Closes the connections kept in it; it cannot be used afterwards.
        func end() { cnc_multi_cleanup(pointer) }

        private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        static func from(_ context: UnsafeMutableRawPointer) -> MultiHandle {
            Unmanaged.fromOpaque(context).takeUnretainedValue()
        }

        /// libcurl says what it waits for on a socket.
        func watch(_ descriptor: Int32, for what: Int32) { sockets.watch(descriptor, for: what, by: number) }

        func setTimer(_ milliseconds: Int) {
            timer =
                switch milliseconds {
                case ..<0: MonotonicTime.never
                case 0: 0
                default: MonotonicTime.after(MonotonicTime.now(), Int64(min(milliseconds, 1 << 40)) * 1_000_000)
                }
        }

        /// Lets libcurl do what is due.
        ///
        /// - Returns: Whether anything was due.
        func fireTimer(_ now: Int64) -> Bool {
            guard timer <= now else { return false }
            timer = MonotonicTime.never
            cnc_multi_act(pointer, Int32(CNC_SOCKET_TIMEOUT), 0)
            return true
        }
    }
#endif
