import CoreNetKitEssentials
import CoreNetKitSystem

/// The system calls on sockets, with `EINTR` and platform differences handled.
enum SystemSocket {
    enum IOResult { case bytes(Int), wouldBlock, endOfStream, failed }

    /// Opens a non-blocking socket that is bound to a port; until it listens, connections are refused.
    static func bound(to address: LoopbackAddress) throws -> Int32 {
        switch address {
        case .ipv4:
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return try bound(AF_INET, to: name, address)
        case .ipv6:
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_addr = in6addr_loopback
            return try bound(AF_INET6, to: name, address)
        case .unixSocket(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            let fits = withUnsafeMutableBytes(of: &name.sun_path) { room in
                guard path.utf8.count < room.count, !path.isEmpty else { return false }
                room.copyBytes(from: path.utf8)
                return true
            }
            guard fits else {
                throw LoopbackError("a Unix domain socket needs a path of 1 to about 100 bytes, not \(path)")
            }
            return try bound(AF_UNIX, to: name, address)
        }
    }

    private static func bound<Name>(_ family: Int32, to name: Name, _ address: LoopbackAddress) throws -> Int32 {
        #if canImport(Glibc)
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw LoopbackError(system: "socket", code: errno, at: "\(address)") }
        setFlags(descriptor)
        let result = withUnsafeBytes(of: name) { bytes in
            bytes.baseAddress.map {
                bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
        }
        guard result == 0 else {
            defer { closeDescriptor(descriptor) }
            throw LoopbackError(system: "bind", code: errno, at: "\(address)")
        }
        return descriptor
    }

    /// The port of an IPv4 or IPv6 socket, which both have at the same offset of their name; else 0.
    static func port(of descriptor: Int32) -> Int {
        var name = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0, [AF_INET, AF_INET6].contains(Int32(name.sin6_family)) else { return 0 }
        return Int(UInt16(bigEndian: name.sin6_port))
    }

    /// Accepts a waiting connection; fails if descriptors are exhausted, `nil` if none waits.
    static func acceptConnection(on listener: Int32) -> Result<Int32?, LoopbackError> {
        while true {
            let descriptor = accept(listener, nil, nil)
            if descriptor >= 0 {
                setFlags(descriptor)
                var on: Int32 = 1
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
                return .success(descriptor)
            }
            switch errno {
            case EINTR, ECONNABORTED, EPROTO: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                return .failure(LoopbackError(system: "accept", code: errno, at: "a connection"))
            default: return .success(nil)
            }
        }
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfStream }
            if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
            if errno != EINTR { return .failed }
        }
    }

    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> IOResult {
        #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        while true {
            let count = send(descriptor, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return .bytes(count) }
            if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
            if errno != EINTR { return .failed }
        }
    }

    /// Whether the connection was reset; reading `SO_ERROR` clears it.
    static func takeIsReset(_ descriptor: Int32) -> Bool {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code == ECONNRESET || code == EPIPE
    }

    /// Ends the connection with a reset instead of an orderly close.
    static func reset(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        closeDescriptor(descriptor)
    }

    static func shutdownSend(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

    static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

    /// Non-blocking, closed on `exec`, and without `SIGPIPE`.
    static func setFlags(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if !os(Linux)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }
}

/// An open listening socket and the URL that leads to it.
struct ListeningSocket {
    let descriptor: Int32
    let port: Int
    let url: URL
    let path: String?

    init(_ address: LoopbackAddress) throws {
        let descriptor = try SystemSocket.bound(to: address)
        guard listen(descriptor, 4096) == 0 else {
            defer { SystemSocket.closeDescriptor(descriptor) }
            throw LoopbackError(system: "listen", code: errno, at: "\(address)")
        }
        self.descriptor = descriptor
        port = SystemSocket.port(of: descriptor)
        if case .unixSocket(let path) = address { self.path = path } else { path = nil }
        url = try Self.url(of: address, port: port)
    }

    func close() {
        SystemSocket.closeDescriptor(descriptor)
        if let path { unlink(path) }
    }

    static func url(of address: LoopbackAddress, port: Int) throws -> URL {
        let text =
            switch address {
            case .ipv4: "http://127.0.0.1:\(port)"
            case .ipv6: "http://[::1]:\(port)"
            case .unixSocket: "http://localhost"
            }
        guard let url = URL(string: text) else { throw LoopbackError("\(text) is not a URL") }
        return url
    }
}
