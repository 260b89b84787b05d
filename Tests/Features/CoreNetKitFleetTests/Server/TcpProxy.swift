#if os(Linux)
    import CoreNetKitFleet
    import TestSupport
    import Glibc
    import TestPrograms

    /// What stands between a client and a server, and may swallow what passes, or pass it on late.
    final class TcpProxy: Sendable {
        enum Mode: Sendable, Equatable {
            case pass
            /// Takes everything and passes nothing on; nobody is told.
            case swallow
            /// Replies come so much later, in microseconds.
            case delay(UInt32)
        }

        private struct State: Sendable {
            var mode = Mode.pass
            var descriptors: [Int32] = []
            /// Directions whose other one has ended.
            var halves: Set<Int32> = []
            var isOver = false
        }

        private let state = Locked(State())
        private let listener: Int32
        private let target: (host: String, port: Int)
        let port: Int

        init(to server: RealServer) throws {
            target = (server.host, server.port)
            (listener, port) = try FreePort.take()
            guard listen(listener, 64) == 0 else { throw RealServer.Failed("no listener") }
            _ = DetachedThread.start { [self] in accept() }
        }

        var server: ValkeyStore.Server { .tcp("127.0.0.1", port: port) }

        func set(_ mode: Mode) { state.withLock { $0.mode = mode } }

        func cut() { for descriptor in state.withLock(\.descriptors) { shutdown(descriptor, Int32(SHUT_RDWR)) } }

        func end() {
            state.withLock { $0.isOver = true }
            cut()
            shutdown(listener, Int32(SHUT_RDWR))
        }

        private func accept() {
            while true {
                let client = Glibc.accept(listener, nil, nil)
                guard client >= 0, !state.withLock(\.isOver) else { break }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = in_port_t(UInt16(target.port).bigEndian)
                address.sin_addr.s_addr = inet_addr(target.host)
                let result = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
                guard result == 0 else {
                    close(client)
                    close(server)
                    continue
                }
                state.withLock { $0.descriptors += [client, server] }
                _ = DetachedThread.start { [self] in pump(client, server, isReply: false) }
                _ = DetachedThread.start { [self] in pump(server, client, isReply: true) }
            }
            close(listener)
        }

        private func pump(_ from: Int32, _ to: Int32, isReply: Bool) {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = recv(from, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                switch state.withLock(\.mode) {
                case .pass: break
                case .swallow: continue
                case .delay(let length):
                    // Real time: what is late is late for a real connection.
                    if isReply { usleep(length) }
                }
                var sent = 0
                while sent < count {
                    let more = buffer.withUnsafeBytes {
                        send(to, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
                    }
                    guard more > 0 else { break }
                    sent += more
                }
            }
            shutdown(to, Int32(SHUT_RDWR))
            // Who ends last closes both: a number that is free may be another connection's by the time of the other shutdown.
            let isLast = state.withLock { state in
                guard state.halves.remove(from) != nil else {
                    state.halves.insert(to)
                    return false
                }
                state.descriptors.removeAll { $0 == from || $0 == to }
                return true
            }
            guard isLast else { return }
            close(from)
            close(to)
        }
    }
#endif
