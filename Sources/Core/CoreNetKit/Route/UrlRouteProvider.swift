public import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// A route that is a URL: usually an enum with one case for each resource of a server.
///
/// A `URL` and the text of one are routes, too; `http+unix://%2Frun%2Fapp.sock/path` and `https+unix:` name a Unix domain socket,
/// see ``Foundation/URL/unixSocket(_:isSecure:)``.
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
    /// Builds the URL, an absolute one; its query is kept and precedes the builder's.
    ///
    /// - Throws: ``UrlRouteError``, or an error of the route's own.
    func url() throws -> URL

    /// Builds the URL for a client, whose base is `nil` if ``RequestHolder/base(_:)`` has set none.
    ///
    /// The default is ``url()``, which ignores the base; a ``PathRoute`` joins its path with it.
    /// - Throws: ``UrlRouteError``, or an error of the route's own.
    func url(relativeTo base: URL?) throws -> URL
}

extension UrlRouteProvider {
    /// The URL of a route that ignores the base.
    public func url(relativeTo base: URL?) throws -> URL { try url() }
}

/// Gives types of the standard libraries their `url()`, which as a member of their own would be a public method of all strings.
package protocol StandardRoute {
    associatedtype Failure: Error

    func routeURL() throws(Failure) -> URL
}

extension StandardRoute {
    /// The URL of the route.
    public func url() throws(Failure) -> URL { try routeURL() }
}

extension URL: UrlRouteProvider, StandardRoute {
    package func routeURL() -> URL { self }
}

extension String: UrlRouteProvider, StandardRoute {
    /// Reads the text as an absolute `http` or `https` URL.
    ///
    /// `http+unix://%2Frun%2Fapp.sock/path` and `https+unix:` name a Unix domain socket, see ``Foundation/URL/unixSocket(_:isSecure:)``.
    /// Path, query and fragment are escaped as `URL? + String` escapes its path; the host must be ASCII (Punycode).
    package func routeURL() throws -> URL {
        let parts = URLText(self)
        let scheme = parts.scheme.lowercased()
        let isSocket = UnixSocket.isNamed(in: self)
        guard scheme == "http" || scheme == "https" || isSocket else {
            let hint = hasPrefix("/") ? "; for a path below a client's base, write client.route(_:_:)" : ""
            throw UrlRouteError.cantBuildUrl("\(parts.redactedText) is not an absolute http or https URL\(hint)")
        }
        try URLText.rejectControlCharacters(in: self)
        if isSocket {
            guard UnixSocket(text: self) != nil, let url = parts.escaped.url else {
                throw UrlRouteError.cantBuildUrl("its host is not the escaped, absolute path of a socket")
            }
            return url
        }
        guard let url = parts.escaped.url, Origin(text: url.absoluteString) != nil else {
            throw UrlRouteError.cantBuildUrl("\(parts.redactedText) is not a valid URL; check its host and port")
        }
        return url
    }
}

extension Optional where Wrapped == URL {
    /// Appends a path to a base URL, with exactly one `/` between them.
    ///
    /// A `?` or `#` in `path` starts a query or fragment; the base's own query is kept and comes first. Escapes (`%2F`)
    /// are kept; characters that are not valid in a URL, such as a space or a non-ASCII character, are escaped. `.` and
    /// `..` segments are not changed, and servers resolve them: write untrusted text as `"/users/\(segment: id)"`.
    /// - Throws: ``UrlRouteError`` if the base is `nil`, which `URL(string:)` returns for invalid text, or `path` has a
    ///   control character such as CR or LF.
    public static func + (base: URL?, path: String) throws(UrlRouteError) -> URL {
        guard let base else { throw .cantBuildUrl("the base URL is nil, so its text was not a URL") }
        if let url = URLText.join(base, path) { return url }
        try URLText.rejectControlCharacters(in: path)
        let added = URLText(reference: path[...]).escaped
        var parts = URLText(base.absoluteString)
        if !added.path.isEmpty {
            let slash = UInt8(ascii: "/")
            let end = parts.path.utf8.lastIndex { $0 != slash }.map(parts.path.utf8.index(after:))
            parts.path = parts.path[..<(end ?? parts.path.startIndex)]
            parts.path += "/"
            parts.path += Substring(added.path.utf8.drop { $0 == slash })
        }
        if let query = added.query { parts.append(query: query) }
        parts.fragment = added.fragment ?? parts.fragment
        guard let url = parts.url else { throw .cantBuildUrl("\(parts.redactedText) is not a valid URL") }
        return url
    }
}

extension URL {
    /// Adds escaped items, such as `a=b&c=d`, after the URL's own query, which is unchanged, and before the fragment.
    package func appending(query: String) throws(UrlRouteError) -> URL {
        guard !query.isEmpty else { return self }
        var parts = URLText(absoluteString)
        parts.append(query: query[...])
        guard let url = parts.url else { throw .cantBuildUrl("\(parts.redactedText) takes no query") }
        return url
    }
}

extension URLText {
    fileprivate mutating func append(query added: Substring) {
        guard let own = query, !own.isEmpty else {
            query = added
            return
        }
        query = own.hasSuffix("&") || added.isEmpty ? own + added : own + "&" + added
    }
}

/// The reason why a route has no URL.
public enum UrlRouteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No URL can be built; the text says from which input and why, without user info, query and fragment.
    case cantBuildUrl(String)

    /// One line fit for a log.
    public var description: String {
        switch self {
        case .cantBuildUrl(let reason): "no URL can be built: \(reason)"
        }
    }
}

extension DefaultStringInterpolation {
    /// Writes text as one segment of a path, so that it cannot change the rest of the path:
    /// `try base + "/users/\(segment: id)"`.
    ///
    /// Everything but letters, digits and `-._~` is escaped, including `/`, `?`, `#` and `%`.
    ///
    /// - Throws: ``UrlRouteError`` if the text is empty, `.` or `..`, or has a control character: escaping does not
    ///   prevent these from naming another resource.
    public mutating func appendInterpolation(segment: some StringProtocol) throws(UrlRouteError) {
        appendLiteral(try PercentEncoding.segment(String(segment)))
    }
}

extension PercentEncoding {
    /// The text as one segment of a path.
    package static func segment(_ text: String) throws(UrlRouteError) -> String {
        try URLText.rejectControlCharacters(in: text)
        if text.isEmpty || text == "." || text == ".." {
            throw .cantBuildUrl("\"\(text)\" as a path segment would name another resource")
        }
        return encode(text, as: .component)
    }
}
