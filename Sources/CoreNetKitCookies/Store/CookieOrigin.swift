import CoreNetKitEssentials

/// What a request's URL says to cookies.
struct CookieOrigin: Sendable, Hashable {
    let host: String
    let path: String
    let isSecure: Bool

    /// A URL that is neither http nor https, or has no host, gives `nil`.
    init?(_ url: URL) {
        let scheme = url.scheme?.lowercased()
        guard scheme == "http" || scheme == "https", let host = url.host(percentEncoded: true), !host.isEmpty else {
            return nil
        }
        self.host = CookieDomain.canonical(host)
        let path = url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
        isSecure = scheme == "https"
    }
}
