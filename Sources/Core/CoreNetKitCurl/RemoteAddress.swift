#if os(Linux)
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Address and port as text, formatted again only when they change.
    struct RemoteAddress {
        private(set) var text: String?
        private var host = ""
        private var port: Int32 = 0

        mutating func update(_ address: UnsafePointer<CChar>?, _ port: Int32) {
            guard let address, address.pointee != 0 else { return text = nil }
            let isSame = port == self.port && host.withCString { strcmp($0, address) == 0 }
            if isSame, text != nil { return }
            host = String(cString: address)
            self.port = port
            text = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        }

        /// The peer of a socket that libcurl takes for another one.
        mutating func update(peerOf socket: Int32) {
            guard let (host, port) = SocketAddress(peerOf: socket)?.hostAndPort else { return }
            host.withCString { update($0, port) }
        }
    }
#endif
