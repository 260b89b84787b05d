#if os(Linux)
    import TestPrograms
    import TestSupport

    /// An HTTP proxy on a port of the system's choice: whatever host it is asked for, it passes the bytes on to one Unix domain
    /// socket, behind a tunnel or with the head that it got.
    final class ConnectProxy: Sendable {
        let port: Int
        private let listener: Int32
        private let heads = Locked<[String]>([])

        init(to path: String) throws {
            (listener, port) = try FreePort.take()
            guard listen(listener, 16) == 0 else { throw CocoaError(.fileReadUnknown) }
            let (listener, heads) = (listener, heads)
            Thread.detachNewThread {
                while case let peer = accept(listener, nil, nil), peer >= 0 {
                    _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
                    Thread.detachNewThread { Self.serve(peer, path) { line in heads.withLock { $0.append(line) } } }
                }
            }
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }

        /// What came first over each connection, up to the empty line.
        var greetings: [String] { heads.withLock { $0 } }

        /// The first line of each.
        var asked: [String] { greetings.map { String($0.prefix { $0 != "\r\n" }) } }

        private static func serve(_ peer: Int32, _ path: String, _ note: (String) -> Void) {
            var head: [UInt8] = []
            var byte: UInt8 = 0
            while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), recv(peer, &byte, 1, 0) == 1 { head.append(byte) }
            let text = String(decoding: head, as: UTF8.self)
            note(text)
            let server = connection(to: path)
            guard server >= 0 else {
                close(peer)
                return
            }
            if text.hasPrefix("CONNECT ") {
                head = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
                send(peer, head, head.count, 0)
            } else {
                send(server, head, head.count, 0)
            }
            Thread.detachNewThread { pump(from: peer, to: server) }
            pump(from: server, to: peer)
        }

        private static func pump(from source: Int32, to target: Int32) {
            var buffer = [UInt8](repeating: 0, count: 65536)
            while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
                var sent = 0
                while sent < count {
                    let more = buffer.withUnsafeBytes { bytes in
                        send(target, bytes.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
                    }
                    guard more > 0 else { break }
                    sent += more
                }
                guard sent == count else { break }
            }
            // Both are left to the process: the other direction may still use them.
            shutdown(source, Int32(SHUT_RDWR))
            shutdown(target, Int32(SHUT_RDWR))
        }

        private static func connection(to path: String) -> Int32 {
            let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            return result == 0 ? server : -1
        }
    }
#endif
