import CoreNetKitPeer

/// Connections that switch to WebSocket.
extension EventLoop {
    /// Switches to WebSocket after the head of the response.
    func open(_ socket: LoopbackSocket, _ opening: SocketOpening, on connection: Connection) {
        let (inbox, address) = (inbox, connection.address)
        let peer = SocketPeer(opening) { inbox.post(.peer(address, $0)) }
        connection.output.bytes.append(contentsOf: socket.greeting)
        (connection.peer, connection.phase) = (peer, .socket)
        connection.finished += 1
        let early = connection.input.take()
        if !early.isEmpty { try? peer.take(early) }
        connection.task = socket.script.start(peer)
    }

    /// Executes an output of a script.
    func handle(_ output: SocketPeer.Output, on connection: Connection) {
        switch output {
        case .bytes(let bytes): connection.output.bytes.append(contentsOf: bytes)
        case .end: connection.closesWhenSent = true
        case .reset: return end(connection, by: .server, resetting: true)
        case .reads(let reads): connection.input.isWanted = reads
        }
        drive(connection)
    }
}
