public import CoreNetKitEssentials

/// A route that is a URL: usually an enum with one case for each resource of a server.
///
/// ```swift
/// enum UserRoute: UrlRouteProvider {
///     case users
///     case user(String)
///
///     func url() throws -> URL {
///         let base = URL(string: "https://example.com/api")
///         switch self {
///         case .users: return try base + "/users"
///         case .user(let id): return try base + "/users/\(segment: id)"
///         }
///     }
/// }
/// ```
public protocol UrlRouteProvider: SendableMetatype {
    /// Builds the URL.
    ///
    /// - Returns: An absolute URL; its query is kept and stands before the builder's.
    /// - Throws: ``UrlRouteError``, or an error of the route's own.
    func url() throws -> URL
}

extension URL: UrlRouteProvider {
    /// The URL itself.
    ///
    /// - Returns: `self`.
    public func url() -> URL { self }
}

extension String: UrlRouteProvider {
    /// Reads the text as an absolute `http` or `https` URL.
    ///
    /// Path, query and fragment are escaped as `URL? + String` escapes its path; the host must be ASCII (Punycode).
    ///
    /// - Returns: The URL.
    /// - Throws: ``UrlRouteError`` if the text is not such a URL.
    public func url() throws -> URL {
        let parts = URLText(self)
        let scheme = parts.scheme.lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw UrlRouteError.cantBuildUrl("\(parts.safe) is not an absolute http or https URL")
        }
        try URLText.refuseControls(in: self)
        guard let url = parts.escaped.url, let host = url.host(), !host.isEmpty, !host.contains("%") else {
            throw UrlRouteError.cantBuildUrl("\(parts.safe) is not a valid URL; check its host and port")
        }
        return url
    }
}
