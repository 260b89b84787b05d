#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import CoreNetKitEssentials

/// An open listening socket and the URL that leads to it.
struct ListeningSocket {
    let descriptor: Int32
    let port: Int
    let url: URL
    let path: String?

    init(_ address: LoopbackAddress) throws {
        (descriptor, port) = try SystemSocket.listening(on: address)
        if case .unixSocket(let path) = address { self.path = path } else { path = nil }
        url = try Self.url(of: address, port: port)
    }

    func close() {
        SystemSocket.shut(descriptor)
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

/// A port that is bound but never listens, so that no other process can get it either.
enum RefusedPort {
    static let url = Result {
        let descriptor = try SystemSocket.bound(to: .ipv4)
        return try ListeningSocket.url(of: .ipv4, port: SystemSocket.port(of: descriptor))
    }
}
