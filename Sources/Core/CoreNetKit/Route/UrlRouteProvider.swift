public import CoreNetKitEssentials
import CoreNetKitHTTP

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
    /// - Returns: An absolute URL; its query is kept and precedes the builder's.
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
    /// `http+unix://%2Frun%2Fapp.sock/path` and `https+unix:` name a Unix domain socket, see ``Foundation/URL/unixSocket(_:isSecure:)``.
    /// Path, query and fragment are escaped as `URL? + String` escapes its path; the host must be ASCII (Punycode).
    ///
    /// - Returns: The URL.
    /// - Throws: ``UrlRouteError`` if the text is not such a URL.
    public func url() throws -> URL {
        let parts = URLText(self)
        let scheme = parts.scheme.lowercased()
        let isSocket = UnixSocket.isNamed(in: self)
        guard scheme == "http" || scheme == "https" || isSocket else {
            throw UrlRouteError.cantBuildUrl("\(parts.safe) is not an absolute http or https URL")
        }
        try URLText.refuseControls(in: self)
        if isSocket {
            guard UnixSocket(text: self) != nil, let url = parts.escaped.url else {
                throw UrlRouteError.cantBuildUrl("its host is not the escaped, absolute path of a socket")
            }
            return url
        }
        guard let url = parts.escaped.url, Origin(text: url.absoluteString) != nil else {
            throw UrlRouteError.cantBuildUrl("\(parts.safe) is not a valid URL; check its host and port")
        }
        return url
    }
}
