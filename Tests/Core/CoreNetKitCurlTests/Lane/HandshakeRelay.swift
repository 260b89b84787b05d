#if os(Linux)
    import Foundation
    import Glibc

    /// Passes bytes between a client and a TLS server on a Unix domain socket, and ends the connection in front of one of
    /// the server's records or inside it (RFC 8446, 5.1).
    struct HandshakeRelay: Sendable {
        /// How it ends the connection.
        enum End: Sendable, CaseIterable {
            case close
            case reset
            /// Not at all: it sends nothing more.
            case silence
        }

        /// How much of the record it still passes on.
        enum Part: Sendable, CaseIterable {
            case nothing
            case header
            case half
        }

        let server: String
        /// The number of the record, from 0.
        let record: Int
        let part: Part
        let end: End

        /// Starts it; the first `silent` connections are kept open without a word.
        func start(silent: Int = 0) throws -> RawPeer {
            try RawPeer { peer, connection in
                guard connection.index >= silent else { return connection.awaitEnd() }
                let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
                defer { close(upstream) }
                guard connect(upstream) else { return }
                let isOver = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    pass(from: connection.descriptor, to: upstream)
                    shutdown(upstream, Int32(SHUT_RDWR))
                    isOver.signal()
                }
                let far = RawPeer.Connection(descriptor: upstream, index: 0)
                for index in 0... {
                    let header = far.read(5)
                    guard header.count == 5 else { break }
                    let bytes = header + far.read(Int(header[3]) << 8 | Int(header[4]))
                    guard index < record else {
                        let count = part == .nothing ? 0 : part == .header ? 3 : bytes.count / 2
                        connection.write(Array(bytes.prefix(count)))
                        peer.note("cut")
                        break
                    }
                    connection.write(bytes)
                }
                switch end {
                case .close: shutdown(connection.descriptor, Int32(SHUT_RDWR))
                case .reset:
                    connection.breakOff()
                    shutdown(connection.descriptor, Int32(SHUT_RD))
                case .silence: break
                }
                isOver.wait()
            }
        }

        private func connect(_ descriptor: Int32) -> Bool {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: server.utf8.prefix($0.count - 1)) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) == 0 }
            }
        }

        private func pass(from client: Int32, to server: Int32) {
            var bytes = [UInt8](repeating: 0, count: 16 << 10)
            while true {
                let count = recv(client, &bytes, bytes.count, 0)
                guard count > 0 else { return }
                RawPeer.Connection(descriptor: server, index: 0).write(Array(bytes[..<count]))
            }
        }
    }
#endif
