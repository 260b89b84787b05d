import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitPeer

/// The server's thread: one loop that owns every socket.
final class EventLoop {
    let poller: any Poller
    let commands: CommandQueue
    let journal: WaitableState<Journal>
    let routes: Routes
    let bodyLimit: Int
    var timers = Timers()
    var dripping: Set<CommandQueue.ConnectionID> = []
    private let socket: ListeningSocket
    private var listener: Int32 { socket.descriptor }
    private let tickInterval: Duration?
    private var isTicking = false
    private var connections: [Connection?] = []
    private var nextConnection = 0
    private var isStopping = false
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

    init(
        socket: ListeningSocket,
        poller: any Poller,
        commands: CommandQueue,
        journal: WaitableState<Journal>,
        routes: Routes,
        bodyLimit: Int,
        tickInterval: Duration?
    ) {
        (self.socket, self.poller, self.commands, self.journal) = (socket, poller, commands, journal)
        (self.routes, self.bodyLimit, self.tickInterval) = (routes, bodyLimit, tickInterval)
    }

    deinit { buffer.deallocate() }

    func run() {
        poller.add(commands.reader, .read)
        poller.add(listener, .read)
        var ready: [Readiness] = []
        while !isStopping {
            poller.wait(timeout: timers.timeout, into: &ready)
            var (hasCommands, canAccept) = (false, false)
            for event in ready {
                switch event.descriptor {
                case commands.reader: hasCommands = true
                case listener: canAccept = true
                default: handle(event)
                }
            }
            if hasCommands { for command in commands.take() { handle(command) } }
            while let alarm = timers.due() { handle(alarm) }
            // Last, so that no event of this round can reach a new connection with a reused descriptor.
            if canAccept { acceptClients() }
        }
        tearDown()
    }

    func connection(_ connectionID: CommandQueue.ConnectionID) -> Connection? {
        let index = Int(connectionID.descriptor)
        guard index < connections.count, let found = connections[index],
            found.connectionID.number == connectionID.number
        else { return nil }
        return connectionID.stream == 0 ? found : stream(connectionID.stream, of: found)
    }

    /// Removes a connection whose socket is closed.
    func forget(_ connection: Connection) {
        connections[Int(connection.descriptor)] = nil
        dripping.remove(connection.connectionID)
    }

    func startTicking() {
        guard let tickInterval, !isTicking else { return }
        isTicking = true
        timers.set(.tick, after: tickInterval)
    }

    private func handle(_ event: Readiness) {
        let index = Int(event.descriptor)
        guard index < connections.count, let connection = connections[index] else { return }
        if event.isWritable { connection.output.isBlocked = false }
        if connection.input.isReadEnabled ? event.isReadable || event.isHungUp : false {
            receive(on: connection)
        } else if event.isHungUp {
            end(connection, by: SystemSocket.takeIsReset(connection.descriptor) ? .clientReset : .client)
        } else if event.isWritable {
            drive(connection)
        }
    }

    private func receive(on connection: Connection) {
        switch SystemSocket.receive(connection.descriptor, into: buffer) {
        case .bytes(let count):
            if connection.phase == .draining { return }
            if let peer = connection.peer {
                try? peer.take(Data(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
                return
            }
            connection.input.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            drive(connection)
        case .endOfStream:
            connection.input.isAtEnd = true
            connection.input.isReadEnabled = false
            drive(connection)
        case .failed: end(connection, by: .clientReset)
        case .wouldBlock: break
        }
    }

    private func handle(_ command: CommandQueue.Command) {
        switch command {
        case .respond(let connectionID, let response):
            guard let connection = connection(connectionID), connection.phase == .waiting else { return }
            connection.task = nil
            begin(response, on: connection)
            drive(connection)
        case .resume(let connectionID):
            guard let connection = connection(connectionID), connection.faults.isStalled else { return }
            connection.faults.isStalled = false
            drive(connection)
        case .peer(let connectionID, let output):
            if let connection = connection(connectionID), connection.phase == .socket { handle(output, on: connection) }
        case .closeConnections:
            for connection in connections.compactMap(\.self) { end(connection, by: .server) }
        case .tick: tick()
        case .stop: isStopping = true
        }
    }

    private func handle(_ alarm: Timers.Alarm) {
        switch alarm {
        case .respond(let connectionID, let response):
            guard let connection = connection(connectionID) else { return }
            write(response, on: connection)
            drive(connection)
        case .drop(let connectionID):
            if let connection = connection(connectionID) { end(connection, by: .server) }
        case .accept:
            poller.add(listener, .read)
        case .tick:
            isTicking = false
            tick()
            if !dripping.isEmpty { startTicking() }
        }
    }

    private func tick() {
        for connectionID in dripping {
            guard let connection = connection(connectionID), let drip = connection.faults.drip else { continue }
            connection.faults.allowance = drip
            drive(connection)
        }
    }

    private func acceptClients() {
        while true {
            switch SystemSocket.acceptConnection(on: listener) {
            case .success(let descriptor?): admit(descriptor)
            case .success(nil): return
            case .failure:
                // Out of descriptors: try again a little later, when some may be free.
                poller.remove(listener)
                timers.set(.accept, after: .milliseconds(10))
                return
            }
        }
    }

    private func admit(_ descriptor: Int32) {
        let connectionID = CommandQueue.ConnectionID(descriptor: descriptor, number: nextConnection)
        nextConnection += 1
        let connection = Connection(connectionID: connectionID, bodyLimit: bodyLimit)
        while connections.count <= Int(descriptor) { connections.append(nil) }
        connections[Int(descriptor)] = connection
        journal.update { state in
            state.counts.connections += 1
            state.counts.open += 1
            state.open.insert(connectionID.number)
        }
        let admission = routes.admission(of: connectionID.number)
        connection.input.isReadEnabled = admission != .stall
        connection.interest = connection.input.isReadEnabled ? .read : []
        poller.add(descriptor, connection.interest)
        switch admission {
        case .accept: break
        case .close: end(connection, by: .server)
        case .reset: end(connection, by: .server, resetting: true)
        case .stall: journal.update { $0.counts.stalls += 1 }
        }
    }

    private func tearDown() {
        handle(.closeConnections)
        socket.close()
        poller.close()
        commands.close()
        routes.clear()
        journal.update { $0.isStopped = true }
    }
}

/// Connections that switch to WebSocket.
extension EventLoop {
    /// Switches to WebSocket after the head of the response.
    func open(_ script: SocketScript, _ opening: SocketOpening, _ bytesAfterHead: Data, on connection: Connection) {
        let (commands, connectionID) = (commands, connection.connectionID)
        let peer = SocketPeer(opening) { commands.post(.peer(connectionID, $0)) }
        connection.output.bytes.append(contentsOf: bytesAfterHead)
        (connection.peer, connection.phase) = (peer, .socket)
        connection.finishedResponses += 1
        let early = connection.input.take()
        if !early.isEmpty { try? peer.take(early) }
        connection.task = script.start(peer)
    }

    func handle(_ output: SocketPeer.Output, on connection: Connection) {
        switch output {
        case .bytes(let bytes): connection.output.bytes.append(contentsOf: bytes)
        case .end: connection.closesWhenSent = true
        case .reset: return end(connection, by: .server, resetting: true)
        case .setReading(let isEnabled): connection.input.isReadEnabled = isEnabled
        }
        drive(connection)
    }
}
