import CoreNetKitEssentials
import CoreNetKitHTTP

/// What cookies need to know of a request's URL.
struct CookieOrigin: Sendable, Hashable {
    let host: String
    let path: String
    let isSecure: Bool

    /// Reads a URL; `nil` if it is neither http nor https, or has no host.
    ///
    /// The host of a Unix domain socket is its escaped path, in its own case, without parent domains.
    init?(_ url: URL) {
        if let origin = Origin(text: url.absoluteString) {
            (host, isSecure) = (CookieDomain.canonical(origin.host), origin.isSecure)
        } else if let socket = UnixSocket(text: url.absoluteString) {
            (host, isSecure) = (socket.authority, socket.isSecure)
        } else {
            return nil
        }
        let path = url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
    }
}
