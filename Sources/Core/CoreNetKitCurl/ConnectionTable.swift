#if os(Linux)
    /// How a connection is encrypted.
    struct TLSDetails {
        let version: String
        let cipher: String
    }

    /// The open connections of one loop, identified by both ends: libcurl numbers its connections only since 8.2.
    struct ConnectionTable {
        struct Connection {
            /// The same for all exchanges over one connection, 0 if unknown.
            var number: UInt32 = 0
            /// The socket, -1 if unknown.
            var descriptor: Int32 = -1
            /// Whether it has responded with HTTP/2.
            var isHTTP2 = false
            /// Whether its peer is another one than libcurl reports.
            var isReplaced = false
            var tls: TLSDetails?
            fileprivate var key: UInt64 = 0
        }

        private var connections: [UInt64: Connection] = [:]
        /// The connection that each socket belongs to.
        private var keys: [Int32: UInt64] = [:]
        private var last: UInt32 = 0

        /// The connection between these ends; `newSocket` is its socket if it was just made.
        ///
        /// Unix domain sockets have no ports: their connections cannot be told apart, and have no number.
        mutating func found(
            _ remote: UnsafePointer<CChar>?,
            _ remotePort: Int32,
            _ localPort: Int32,
            newSocket: Int32
        ) -> Connection {
            guard localPort > 0 else { return Connection(descriptor: newSocket) }
            let key = ConnectionTable.key(remote, remotePort, localPort)
            if newSocket < 0, let known = connections[key] { return known }
            last &+= 1
            let connection = Connection(number: last, descriptor: newSocket, key: key)
            connections[key] = connection
            if newSocket >= 0 { keys[newSocket] = key }
            return connection
        }

        /// A number for a connection whose owner tells it apart.
        mutating func nextNumber() -> UInt32 {
            last &+= 1
            return last
        }

        /// Keeps what was learned about a connection for later exchanges.
        mutating func note(_ connection: Connection) {
            guard connection.number != 0, connections[connection.key] != nil else { return }
            connections[connection.key] = connection
        }

        mutating func closed(_ descriptor: Int32) {
            guard let key = keys.removeValue(forKey: descriptor) else { return }
            if connections[key]?.descriptor == descriptor { connections[key] = nil }
        }

        /// Both ends in one number (FNV-1a): the local port alone is shared by connections to different servers.
        private static func key(_ remote: UnsafePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32) -> UInt64 {
            var key: UInt64 = 0xCBF2_9CE4_8422_2325
            func add(_ byte: UInt8) { key = (key ^ UInt64(byte)) &* 0x100_0000_01B3 }
            if var remote {
                while remote.pointee != 0 {
                    add(UInt8(bitPattern: remote.pointee))
                    remote += 1
                }
            }
            for port in [remotePort, localPort] {
                add(UInt8(truncatingIfNeeded: port))
                add(UInt8(truncatingIfNeeded: port >> 8))
            }
            return key
        }
    }
#endif
