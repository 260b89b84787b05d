#if os(Linux)
    import Foundation

    /// A port that was free a moment ago, for cases where a Unix domain socket does not suffice.
    package enum FreePort {
        package static func find() throws -> Int {
            let (descriptor, port) = try take()
            close(descriptor)
            return port
        }

        /// A port with the socket that has it, on 127.0.0.1; nobody listens there.
        package static func take() throws -> (descriptor: Int32, port: Int) {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
                }
            }
            guard result == 0 else { throw Command.Failed(command: "bind", status: errno) }
            return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
        }
    }
#endif
