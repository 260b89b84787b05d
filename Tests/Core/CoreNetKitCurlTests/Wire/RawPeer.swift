#if os(Linux)
    import TestSupport
    import Glibc

    /// A TCP server whose test controls each byte: one thread per connection.
    final class RawPeer: Sendable {
        /// How long a connection waits for the client's next byte; a busy machine wakes the client late.
        static let timeout = timeval(tv_sec: 60, tv_usec: 0)

        struct Connection {
            let descriptor: Int32
            let index: Int

            /// Reads to the end of a head; `nil` when the client has closed.
            func head() -> String? {
                var bytes: [UInt8] = []
                while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                    guard let byte = read(1).first else { return nil }
                    bytes.append(byte)
                }
                return String(decoding: bytes, as: UTF8.self)
            }

            func read(_ count: Int) -> [UInt8] {
                var bytes = [UInt8](repeating: 0, count: count)
                var done = 0
                bytes.withUnsafeMutableBytes { bytes in
                    while done < count, let start = bytes.baseAddress {
                        let got = recv(descriptor, start + done, count - done, 0)
                        guard got > 0 else { break }
                        done += got
                    }
                }
                return Array(bytes[..<done])
            }

            func rest(until end: String) -> String {
                var all: [UInt8] = []
                while !all.suffix(end.utf8.count).elementsEqual(end.utf8), let byte = read(1).first { all.append(byte) }
                return String(decoding: all, as: UTF8.self)
            }

            func write(_ text: String) { write(Array(text.utf8)) }

            /// Resets the connection when the script ends, whatever the client has not read or sent yet.
            func breakOff() {
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            }

            @discardableResult
            func isIdle(for milliseconds: Int32) -> Bool {
                var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                return poll(&place, 1, milliseconds) == 0
            }

            func awaitEnd() {
                var bytes = [UInt8](repeating: 0, count: 64 << 10)
                while recv(descriptor, &bytes, bytes.count, 0) > 0 {}
            }

            func write(_ bytes: [UInt8]) {
                var done = 0
                while done < bytes.count {
                    let sent = bytes[done...].withUnsafeBytes {
                        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    guard sent > 0 else { return }
                    done += sent
                }
            }
        }

        let url: URL
        private let listener: Int32
        private let heads = Locked<[String]>([])

        var requests: [String] { heads.withLock { $0 } }

        func note(_ head: String) { heads.withLock { $0.append(head) } }

        /// Reads to the end of a head, which it notes; `nil` when the client has closed.
        func head(of connection: Connection) -> String? {
            let head = connection.head()
            if let head { note(head) }
            return head
        }

        /// Starts listening; the script runs once for each connection, which is then closed.
        init(_ script: @escaping @Sendable (RawPeer, Connection) -> Void) throws {
            guard let place = Listener(backlog: 64) else { throw Listener.NoPort() }
            let listener = place.descriptor
            self.listener = listener
            url = TestSupport.url("http://127.0.0.1:\(place.port)/")
            let accept: @Sendable () -> Void = { [weak self] in
                var index = 0
                while true {
                    let descriptor = Glibc.accept(listener, nil, nil)
                    guard descriptor >= 0 else { return }
                    // A program that another test starts would hold the connection open when the script has ended it.
                    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                    guard let self else {
                        close(descriptor)
                        return
                    }
                    var limit = RawPeer.timeout
                    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
                    // Written bytes are sent at once, not with the client's next bytes.
                    var one: Int32 = 1
                    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
                    let connection = Connection(descriptor: descriptor, index: index)
                    index += 1
                    Thread.detachNewThread {
                        script(self, connection)
                        close(descriptor)
                    }
                }
            }
            Thread.detachNewThread(accept)
        }

        convenience init(answering response: String) throws {
            try self.init { peer, connection in
                while peer.head(of: connection) != nil { connection.write(response) }
            }
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
    }

    /// A listening socket of a loopback address.
    private struct Listener {
        struct NoPort: Error {}

        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        private var address = sockaddr_in()

        init?(_ host: UInt8 = 1, port: Int = 0, backlog: Int32) {
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0000 | UInt32(host)).bigEndian
            address.sin_port = UInt16(port).bigEndian
            guard withAddress({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, backlog) == 0 else { return nil }
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) {
                _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
            }
        }

        var port: Int { Int(UInt16(bigEndian: address.sin_port)) }

        func withAddress(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
            withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
    }

    /// A listener of another loopback address whose backlog is full: the system drops whoever wants to connect, in silence.
    final class FullListener: Sendable {
        private let descriptors: [Int32]
        let port: Int

        /// `host` is the last byte of the address 127.0.0.x; a port of 0 is any.
        init?(_ host: UInt8, port: Int = 0) {
            guard let listener = Listener(host, port: port, backlog: 0) else { return nil }
            self.port = listener.port
            var descriptors = [listener.descriptor]
            for _ in 0..<4 {
                let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
                let filler = socket(AF_INET, type, 0)
                _ = listener.withAddress { connect(filler, $0, $1) }
                descriptors.append(filler)
            }
            self.descriptors = descriptors
        }

        deinit { for descriptor in descriptors { close(descriptor) } }
    }
#endif
