#if os(Linux)
    import Glibc

    /// A listener of another loopback address whose backlog is full: the system drops whoever wants to connect, in silence.
    final class FullListener: Sendable {
        private let descriptors: [Int32]
        let port: Int

        /// - Parameters:
        ///   - host: The last byte of the address 127.0.0.x.
        ///   - port: The port; 0 for any.
        init?(_ host: UInt8, port: Int = 0) {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_addr.s_addr = UInt32(0x7F00_0000 | UInt32(host)).bigEndian
            place.sin_port = UInt16(port).bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            func call(_ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ socket: Int32) -> Bool {
                withUnsafePointer(to: &place) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(socket, $0, size) == 0 }
                }
            }
            guard listener >= 0, call(bind, listener), listen(listener, 0) == 0 else { return nil }
            var bound = sockaddr_in()
            var length = size
            withUnsafeMutablePointer(to: &bound) {
                _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
            }
            self.port = Int(UInt16(bigEndian: bound.sin_port))
            place.sin_port = bound.sin_port
            var descriptors = [listener]
            for _ in 0..<4 {
                let filler = socket(
                    AF_INET,
                    Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
                    0
                )
                _ = call(connect, filler)
                descriptors.append(filler)
            }
            self.descriptors = descriptors
        }

        deinit { for descriptor in descriptors { close(descriptor) } }
    }
#endif
