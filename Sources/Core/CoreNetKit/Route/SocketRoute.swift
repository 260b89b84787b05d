public import CoreNetKitEssentials
import CoreNetKitHTTP

/// The route of a WebSocket: `ws` and `wss` are used as `http` and `https` for the handshake (RFC 6455, 3).
struct SocketRoute: UrlRouteProvider, Sendable {
    let route: any UrlRouteProvider & Sendable

    func url() throws -> URL { try url(below: nil) }

    func url(below base: URL?) throws -> URL {
        // A text is checked as an HTTP URL when it is parsed.
        if let text = route as? String { return try Self.mapped(text).url() }
        let url = try route.url(below: base)
        let mapped = Self.mapped(url.absoluteString)
        return mapped == url.absoluteString ? url : try mapped.url()
    }

    /// The same for a URL's text.
    static func mapped(_ text: String) -> String {
        let scheme = text.prefix { $0 != ":" }
        switch scheme.lowercased() {
        case "ws", "ws+unix": return "http" + text.dropFirst(2)
        case "wss", "wss+unix": return "https" + text.dropFirst(3)
        default: return text
        }
    }
}

extension URL {
    /// The server that listens on a Unix domain socket, as a base for routes: `http+unix://%2Frun%2Fapp.sock`.
    ///
    /// Calls to it use only the socket, with `Host: localhost`, over HTTP/1.1, without proxies; redirects neither leave nor
    /// enter it. It is an origin of its own for tokens, cookies and caches. A transport needs
    /// `TransportCapabilities.unixSockets`.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the socket, at most 107 bytes on Linux and 103 on Apple's systems.
    ///   - isSecure: Whether TLS is used over it; the certificate is checked for the name `localhost`.
    /// - Returns: The URL, without a path.
    /// - Throws: ``UrlRouteError`` if no socket can have the path.
    public static func unixSocket(_ path: String, isSecure: Bool = false) throws(UrlRouteError) -> URL {
        guard let socket = UnixSocket(path: path, isSecure: isSecure), let url = URL(string: socket.text) else {
            let limit = UnixSocket.longestPath
            throw .cantBuildUrl("no socket has this path: it is absolute, and at most \(limit) bytes long")
        }
        return url
    }
}
