import CoreNetKitEssentials
import CoreNetKitHTTP

/// What a request's URL says to cookies.
struct CookieOrigin: Sendable, Hashable {
    let host: String
    let path: String
    let isSecure: Bool

    /// A URL that is neither http nor https, or has no host, gives `nil`.
    ///
    /// The host of a Unix domain socket is its escaped path, in its own case: no domain stands above it.
    init?(_ url: URL) {
        let scheme = url.scheme?.lowercased()
        if scheme == "http" || scheme == "https", let host = url.host(percentEncoded: true), !host.isEmpty {
            (self.host, isSecure) = (CookieDomain.canonical(host), scheme == "https")
        } else if let socket = UnixSocket(text: url.absoluteString) {
            (host, isSecure) = (socket.authority, socket.isSecure)
        } else {
            return nil
        }
        let path = url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
    }
}
