#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    /// A connection that libcurl has made and on which this package speaks; belongs to the owner thread.
    final class WireConnection {
        /// The same for all exchanges on it, and different from any other connection's.
        let number: UInt32
        let socket: Int32
        /// Encrypts bytes, or maintains a proxy that does; `nil` if the socket is enough.
        let connector: Connector?
        let setup: ConnectionSetup
        let host: ConnectionLimiter.Host
        let madeAt: Int64
        @exclusivity(unchecked) var isUsed = false
        /// The HTTP/2 streams; `nil` for HTTP/1.1.
        let streams: HTTP2Streams?
        /// The HTTP/1.1 exchange, present or latest: each holds the other until the connection is closed.
        @exclusivity(unchecked) var exchange: WireExchange?
        @exclusivity(unchecked) var keepAlive = KeepAlive()
        /// Its place among those that became idle, 0 while it is used; and when it is closed unless it is used before.
        @exclusivity(unchecked) var idle: (turn: Int, end: Int64) = (0, 0)

        init(
            number: UInt32,
            socket: Int32,
            connector: Connector?,
            setup: ConnectionSetup,
            host: ConnectionLimiter.Host,
            streams: HTTP2Streams?
        ) {
            (self.number, self.socket, self.connector) = (number, socket, connector)
            (self.setup, self.host, self.streams) = (setup, host, streams)
            madeAt = setup.loop.now
        }

        var transfers: [Transfer] {
            streams.map { $0.exchanges.compactMap(\.transfer) } ?? exchange?.transfer.map { [$0] } ?? []
        }

        /// Sends without waiting: the number of bytes, or a `CNC_IO_…` code.
        func send(_ bytes: UnsafeRawPointer, _ count: Int) -> Int {
            connector.map { cnc_easy_send($0.easy, bytes, count) } ?? cnc_socket_send(socket, bytes, count)
        }

        /// Receives without waiting: the number of bytes, 0 at the end, or a `CNC_IO_…` code.
        func receive(_ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
            connector.map { cnc_easy_receive($0.easy, bytes, count) } ?? cnc_socket_receive(socket, bytes, count)
        }

        /// Whether nothing unexpected has arrived, nor the connection's end (RFC 9112, 9.2): of TLS, reading tells.
        var isClean: Bool {
            guard let connector else { return cnc_socket_is_quiet(socket) }
            var byte: UInt8 = 0
            return cnc_easy_receive(connector.easy, &byte, 1) == CNC_IO_AGAIN
        }

        /// Whether TLS, if any, ended without a closing notice: then an attacker may have cut it.
        var isCut: Bool { connector.map { cnc_easy_tls_is_cut($0.easy) } ?? false }
    }

    /// The connections that wait for their next exchange.
    struct IdleConnections {
        private(set) var count = 0
        private var turn = 0
        /// No connection's time ends earlier.
        private var earliestEnd = MonotonicTime.never

        var nextEnd: Int64 { count == 0 ? MonotonicTime.never : earliestEnd }

        mutating func append(_ connection: WireConnection, until end: Int64) {
            turn += 1
            connection.idle = (turn, end)
            connection.host.idle.append(connection)
            count += 1
            earliestEnd = min(earliestEnd, end)
        }

        mutating func takeEnded(_ now: Int64, of all: [WireConnection]) -> [WireConnection] {
            let idle = all.filter { $0.idle.turn > 0 }
            let ended = idle.filter { $0.idle.end <= now }
            earliestEnd = idle.reduce(MonotonicTime.never) { $1.idle.end > now ? min($0, $1.idle.end) : $0 }
            for connection in ended { remove(connection) }
            return ended
        }

        /// Takes the most recently used HTTP/1.1 connection to a host.
        mutating func take(_ host: ConnectionLimiter.Host) -> WireConnection? {
            // An HTTP/2 connection is found by its room.
            host.idle.lastIndex { $0.streams == nil }.map { remove(at: $0, of: host) }
        }

        /// Removes a connection on which bytes, or its end, have arrived.
        mutating func remove(_ connection: WireConnection) {
            guard let index = connection.host.idle.lastIndex(where: { $0 === connection }) else { return }
            remove(at: index, of: connection.host)
        }

        @discardableResult
        private mutating func remove(at index: Int, of host: ConnectionLimiter.Host) -> WireConnection {
            let connection = host.idle.remove(at: index)
            connection.idle.turn = 0
            count -= 1
            return connection
        }
    }
#endif
