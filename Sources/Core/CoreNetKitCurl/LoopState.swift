#if os(Linux)
    import CoreNetKitSystem
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// What the callbacks of one loop share: its sockets and connections, and news for the loop.
    final class LoopState {
        let sockets: SocketSet
        /// The connections that are being made, by the number of their handle.
        @exclusivity(unchecked) var attempts: [Int: ConnectAttempt] = [:]
        /// No further address is due before this time.
        @exclusivity(unchecked) var nextAttemptAt = MonotonicTime.never
        /// Connections made, and TLS handshakes on them.
        @exclusivity(unchecked) var made = 0
        @exclusivity(unchecked) var handshakes = 0
        /// Handles of exchanges with news for the loop that cannot wait for their end.
        @exclusivity(unchecked) var news: [Int] = []
        /// The time as of the loop's latest turn: close enough for the idle limit, and free.
        @exclusivity(unchecked) var now: Int64 = 0
        /// The only address family to connect to; any if it is `AF_UNSPEC`.
        private let family: Int32

        init?(_ configuration: CurlTransport.Configuration) {
            guard let sockets = SocketSet() else { return nil }
            self.sockets = sockets
            family =
                switch configuration.addressFamily {
                case .any: AF_UNSPEC
                case .ipv4: AF_INET
                case .ipv6: AF_INET6
                }
        }

        func allows(family: Int32) -> Bool { self.family == AF_UNSPEC || family == self.family || family == AF_UNIX }

        /// The context of the callback that closes sockets.
        var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        static func from(_ context: UnsafeMutableRawPointer) -> LoopState {
            Unmanaged.fromOpaque(context).takeUnretainedValue()
        }
    }
#endif
