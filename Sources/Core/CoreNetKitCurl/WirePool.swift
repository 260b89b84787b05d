#if os(Linux)
    import CoreNetKitSystem
    import CNetCurl

    /// The connections that this package speaks on, and the handles that make them; belongs to the owner thread.
    final class WirePool {
        /// The maximum age of a connection, in nanoseconds.
        let lifetime: Int64
        /// The limit of connections with and without an exchange, of all hosts.
        let total: Int
        /// Where bytes are received before it is known whose they are.
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: WirePool.bufferSize, alignment: 16)
        static let bufferSize = 64 << 10
        /// The same for an HTTP/2 connection without exchanges, perhaps while what another one received is being read.
        let idleBuffer = UnsafeMutableRawPointer.allocate(byteCount: WirePool.idleBufferSize, alignment: 16)
        static let idleBufferSize = 4 << 10
        @exclusivity(unchecked) var idle = IdleConnections()
        @exclusivity(unchecked) var ready: [SocketSet.Ready] = []
        @exclusivity(unchecked) var pendingFlush: [WireConnection] = []
        /// Streams whose readers get something at the end of the turn.
        @exclusivity(unchecked) var pendingDeliveries: [WireExchange] = []
        /// By socket.
        @exclusivity(unchecked) private var connections: [WireConnection?] = []
        @exclusivity(unchecked) private var open = 0
        @exclusivity(unchecked) var switched = 0
        /// By number.
        @exclusivity(unchecked) private var connectors: [Connector?] = []
        @exclusivity(unchecked) private var freeConnectors: [Connector] = []
        @exclusivity(unchecked) private var freeNumbers: [Int] = []
        /// The maximum number kept for later connections: each has about ten kilobytes.
        private static let spare = 16
        private let shared: LoopState

        init(_ configuration: CurlTransport.Configuration, total: Int, shared: LoopState) {
            lifetime = configuration.connectionLifetime.map { MonotonicTime.nanoseconds($0) } ?? MonotonicTime.never
            (self.total, self.shared) = (total, shared)
        }

        deinit {
            buffer.deallocate()
            idleBuffer.deallocate()
        }

        var isEmpty: Bool { open == 0 && freeConnectors.count + freeNumbers.count == connectors.count }

        /// Exchanges that have a connection, or for which one is being made.
        var transfers: [Transfer] { all.flatMap(\.transfers) + connectors.compactMap { $0?.transfer } }

        var used: Int { open - idle.count + connectors.count { $0?.transfer != nil } }

        func isOpen(_ connection: WireConnection) -> Bool { self.connection(connection.socket) === connection }

        func connection(_ socket: Int32) -> WireConnection? {
            connections.indices.contains(Int(socket)) ? connections[Int(socket)] : nil
        }

        func isYoung(_ connection: WireConnection, _ now: Int64) -> Bool {
            now < MonotonicTime.after(connection.madeAt, lifetime)
        }

        func takeConnector() -> Connector? {
            if let connector = freeConnectors.popLast() { return connector }
            let number = freeNumbers.last ?? connectors.count
            guard let connector = Connector(number: Connector.firstNumber + number, loop: shared) else { return nil }
            if freeNumbers.popLast() == nil { connectors.append(connector) } else { connectors[number] = connector }
            return connector
        }

        func connector(_ number: Int) -> Connector? { connectors.indices.contains(number) ? connectors[number] : nil }

        /// A handle has nothing left to do.
        func recycle(_ connector: Connector) {
            guard freeConnectors.count >= WirePool.spare else { return freeConnectors.append(connector) }
            let number = connector.number - Connector.firstNumber
            connectors[number] = nil
            freeNumbers.append(number)
        }

        func forgetConnectors() { (connectors, freeConnectors, freeNumbers) = ([], [], []) }

        func add(_ connection: WireConnection) {
            let socket = Int(connection.socket)
            while connections.count <= socket { connections.append(nil) }
            connections[socket] = connection
            open += 1
        }

        func remove(_ connection: WireConnection) {
            guard isOpen(connection) else { return }
            connections[Int(connection.socket)] = nil
            open -= 1
        }

        /// The connection that has been idle longest.
        var oldestIdle: WireConnection? { all.filter { $0.idle.turn > 0 }.min { $0.idle.turn < $1.idle.turn } }

        var all: [WireConnection] { connections.compactMap { $0 } }
    }
#endif
