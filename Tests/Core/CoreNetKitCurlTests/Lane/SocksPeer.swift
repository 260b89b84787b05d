#if os(Linux)
    import Foundation

    /// A SOCKS proxy (RFC 1928, RFC 1929) that is also the server behind it.
    struct SocksPeer: Sendable {
        /// How it ends the connection where it says no more.
        enum End: Sendable, CaseIterable {
            case close
            case reset
            case silence
        }

        /// What it says to the greeting: the version, and the method of authentication.
        var method: [UInt8] = [5, 0]
        /// What it says to name and password.
        var login: [UInt8] = [1, 0]
        /// What it says to the request for a connection: the version, the result, an address.
        var reply: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0, 80]
        /// How many of its bytes it sends in all before it ends the connection.
        var limit = Int.max
        var end = End.close
        var sendsByteByByte = false

        /// Starts it; it notes the name and password, the requested place, and the heads of requests.
        func start() throws -> RawPeer {
            try RawPeer { peer, connection in
                var left = limit
                func send(_ bytes: [UInt8]) -> Bool {
                    for part in sendsByteByByte ? bytes.map({ [$0] }) : [bytes] {
                        connection.write(Array(part.prefix(left)))
                        left -= min(left, part.count)
                    }
                    return left > 0
                }
                let isDone = shakeHands(peer, connection, send)
                if isDone, let head = connection.head() {
                    peer.note(head)
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                    connection.awaitEnd()
                } else if end == .reset {
                    connection.breakOff()
                } else if end == .silence {
                    connection.awaitEnd()
                }
            }
        }

        private func shakeHands(
            _ peer: RawPeer,
            _ connection: RawPeer.Connection,
            _ send: ([UInt8]) -> Bool
        ) -> Bool {
            let greeting = connection.read(2)
            guard greeting.count == 2 else { return false }
            _ = connection.read(Int(greeting[1]))
            guard limit > 0, send(method), method == [5, 0] || method == [5, 2] else { return false }
            if method[1] == 2 {
                let user = connection.read(connection.read(2).last.map { Int($0) } ?? 0)
                let password = connection.read(connection.read(1).last.map { Int($0) } ?? 0)
                peer.note(String(decoding: user, as: UTF8.self) + ":" + String(decoding: password, as: UTF8.self))
                guard send(login), login == [1, 0] else { return false }
            }
            let request = connection.read(4)
            guard request.count == 4 else { return false }
            let count = request[3] == 3 ? Int(connection.read(1).first ?? 0) : request[3] == 1 ? 4 : 16
            let address = connection.read(count)
            let port = connection.read(2)
            let place = request[3] == 3 ? String(decoding: address, as: UTF8.self) : "\(address)"
            peer.note("\(place) \(port.reduce(0) { $0 << 8 | Int($1) })")
            return send(reply) && reply.prefix(2) == [5, 0]
        }
    }
#endif
