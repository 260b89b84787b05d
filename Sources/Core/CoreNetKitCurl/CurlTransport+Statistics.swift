#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl
    public import CoreNetKitEssentials

    extension CurlTransport {
        /// How a transport's connections are used at one moment.
        public struct Statistics: Sendable, Hashable {
            /// Running exchanges.
            public var running = 0
            /// Requests that wait for a connection.
            public var waiting = 0
            /// Connections that are open or being opened.
            public var open = 0
            /// Open connections that no exchange uses.
            public var idle = 0
            /// Connections opened since the start.
            public var connectionsCreated = 0
            /// TLS handshakes since the start.
            public var handshakes = 0

            /// Creates the statistics of a transport that does nothing.
            public init() {}
        }

        /// How the connections are used now.
        ///
        /// - Returns: The sum over all loops; all zero before the first request and after shutdown.
        public func statistics() async -> Statistics {
            var sum = Statistics()
            for loop in loops where loop.mailbox.withLock({ $0.isStarted }) {
                let statistics = await withUnsafeContinuation { continuation in
                    if !loop.submit(.statistics(continuation)) { continuation.resume(returning: .init()) }
                }
                cnc_task_resumed()
                sum.running += statistics.running
                sum.waiting += statistics.waiting
                sum.open += statistics.open
                sum.idle += statistics.idle
                sum.connectionsCreated += statistics.connectionsCreated
                sum.handshakes += statistics.handshakes
            }
            return sum
        }

        /// Opens a connection before it is needed: name, TCP and TLS are done by the time of the first request.
        ///
        /// It sends a HEAD request for the URL, which is absolute; any response will do.
        /// - Throws: `TransportError` if no connection can be made, or `CancellationError`.
        public func warmUp(_ url: URL) async throws { _ = try await send(TransportRequest(method: .head, url: url)) }
    }

    extension CurlLoop {
        var statistics: CurlTransport.Statistics {
            var statistics = CurlTransport.Statistics()
            statistics.running = limiter.running
            statistics.waiting = limiter.waiting
            statistics.open = shared.sockets.connections
            (statistics.connectionsCreated, statistics.handshakes) = (shared.connectionsCreated, shared.handshakes)
            var used: Set<Int32> = []
            var unknown = 0
            for handle in handles.values {
                if handle.link.socket >= 0 { used.insert(handle.link.socket) } else { unknown += 1 }
            }
            statistics.idle = max(0, statistics.open - used.count - unknown - wire.used)
            return statistics
        }
    }
#endif
