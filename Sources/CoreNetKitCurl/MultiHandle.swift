#if os(Linux)
    import CoreNetKitSystem
    import CNetCurl

    /// A multi handle of libcurl and the time that it waits for; belongs to the owner thread.
    ///
    /// There is one for all exchanges of libcurl's own lane. Connections of TLS that are ours have more of them, few in each:
    /// before 8.x libcurl looks for a connection among all of its multi handle each time bytes are moved.
    final class MultiHandle {
        /// The most connections of ours in one.
        static let room = 16

        /// Its place in ``SocketSet/multis``.
        let number: Int
        let pointer: UnsafeMutableRawPointer
        private unowned let sockets: SocketSet
        /// When libcurl wants to go on without a socket being ready.
        @exclusivity(unchecked) fileprivate(set) var timer = MonotonicTime.never
        /// Connections of ours that are in it, made or being made.
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

        /// Closes the connections that are kept in it; it is of no use any more.
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

        /// Has libcurl go on with what is due.
        ///
        /// - Returns: Whether anything was.
        func fireTimer(_ now: Int64) -> Bool {
            guard timer <= now else { return false }
            timer = MonotonicTime.never
            cnc_multi_act(pointer, Int32(CNC_SOCKET_TIMEOUT), 0)
            return true
        }
    }
#endif
