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
