import CoreNetKitEssentials

/// The route of a WebSocket: `ws` and `wss` are used as `http` and `https` for the handshake (RFC 6455, 3).
struct SocketRoute: UrlRouteProvider, Sendable {
    let route: any UrlRouteProvider & Sendable

    func url() throws -> URL { try url(relativeTo: nil) }

    func url(relativeTo base: URL?) throws -> URL {
        // A text is checked as an HTTP URL when it is parsed.
        if let text = route as? String { return try Self.mapped(text).url() }
        let url = try route.url(relativeTo: base)
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
