import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Bytes in, bytes out: a blocking socket that knows nothing of HTTP but where a simple response ends.
final class RawClient: Sendable {
    enum Ending: Error { case closed, reset, timedOut }

    struct Failure: Error { let text: String }

    private let descriptor: Int32
    private let isClosed = Locked(false)

    /// Connects to a server; reads give up after 30 seconds.
    convenience init(_ server: LoopbackServer) throws { try self.init(server.address, port: server.port) }

    init(_ address: LoopbackAddress = .ipv4, port: Int) throws {
        var name = sockaddr_storage()
        let length: Int
        switch address {
        case .ipv4:
            var ipv4 = sockaddr_in()
            ipv4.sin_family = sa_family_t(AF_INET)
            ipv4.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            ipv4.sin_port = UInt16(port).bigEndian
            length = Self.copy(ipv4, to: &name)
        case .ipv6:
            var ipv6 = sockaddr_in6()
            ipv6.sin6_family = sa_family_t(AF_INET6)
            ipv6.sin6_addr = in6addr_loopback
            ipv6.sin6_port = UInt16(port).bigEndian
            length = Self.copy(ipv6, to: &name)
        case .unixSocket(let path):
            var unix = sockaddr_un()
            unix.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &unix.sun_path) { $0.copyBytes(from: path.utf8) }
            length = Self.copy(unix, to: &name)
        }
        #if canImport(Glibc)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        descriptor = socket(Int32(name.ss_family), type, 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(length)) }
        }
        guard result == 0 else { throw Failure(text: "connect: errno \(errno)") }
    }

    deinit { close() }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                #if os(Linux)
                    Glibc.send(
                        descriptor,
                        $0.baseAddress?.advanced(by: start),
                        bytes.count - start,
                        Int32(MSG_NOSIGNAL)
                    )
                #else
                    Darwin.send(descriptor, $0.baseAddress?.advanced(by: start), bytes.count - start, 0)
                #endif
            }
            guard count > 0 else { throw Failure(text: "send: errno \(errno)") }
            start += count
        }
    }

    /// Reads what is there, at most `limit` bytes; an ending when there is nothing more.
    func read(_ limit: Int = 1 << 16) -> Result<[UInt8], Ending> {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &bytes, limit, 0)
        if count > 0 { return .success(Array(bytes[..<count])) }
        if count == 0 { return .failure(.closed) }
        return .failure(errno == ECONNRESET || errno == EPIPE ? .reset : .timedOut)
    }

    /// Reads until the text ends with a suffix.
    func read(until suffix: String) throws -> String {
        var bytes: [UInt8] = []
        while !bytes.ends(with: suffix.utf8) { bytes += try read(1).get() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads exactly this many bytes.
    func read(exactly count: Int) throws -> String { String(decoding: try readBytes(exactly: count), as: UTF8.self) }

    func readBytes(exactly count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += try read(min(1 << 20, count - bytes.count)).get() }
        return bytes
    }

    /// Reads one response that has a Content-Length.
    func readResponse(isHead: Bool = false) throws -> (head: String, body: String) {
        let head = try read(until: "\r\n\r\n")
        let length =
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) } ?? 0
        return (head, isHead ? "" : try read(exactly: length))
    }

    /// Reads to the end of the connection.
    func readToEnd() -> (text: String, ending: Ending) {
        let (bytes, ending) = readBytesToEnd()
        return (String(decoding: bytes, as: UTF8.self), ending)
    }

    func readBytesToEnd() -> (bytes: [UInt8], ending: Ending) {
        var bytes: [UInt8] = []
        while true {
            switch read() {
            case .success(let more): bytes += more
            case .failure(let ending): return (bytes, ending)
            }
        }
    }

    /// Closes the socket with a reset; nothing can be done with it afterwards.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    private func close() {
        if isClosed.set() { shut(descriptor) }
    }

    private static func copy<Name>(_ name: Name, to storage: inout sockaddr_storage) -> Int {
        withUnsafeMutableBytes(of: &storage) { target in
            withUnsafeBytes(of: name) { target.copyBytes(from: $0) }
        }
        return MemoryLayout<Name>.size
    }
}

extension Array where Element: Equatable {
    fileprivate func ends(with suffix: some BidirectionalCollection<Element>) -> Bool {
        count >= suffix.count && self[(count - suffix.count)...].elementsEqual(suffix)
    }
}

private func shut(_ descriptor: Int32) { _ = close(descriptor) }

/// Runs blocking work on a thread of its own, so that the few threads of the tasks stay free.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}

/// The response to one request on a connection of its own.
func exchange(_ server: LoopbackServer, _ wire: String) async throws -> (head: String, body: String) {
    try await exchange(server, wire) { try $0.readResponse() }
}

/// What is read after these bytes on a connection of its own.
func exchange<Value: Sendable>(
    _ server: LoopbackServer,
    _ wire: String,
    _ read: @escaping @Sendable (RawClient) throws -> Value
) async throws -> Value {
    try await onThread {
        let client = try RawClient(server)
        try client.send(wire)
        return try read(client)
    }
}
