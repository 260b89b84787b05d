public import CoreNetKitEssentials
import CoreNetKitSystem

extension Client {
    /// Starts a request to a path below the base of this client.
    ///
    /// ```swift
    /// let client = Client(base: "https://example.com/api")
    ///
    /// func user(_ id: String) async throws -> User {
    ///     try await client.route(.get, "/users/\(id)").build().process()
    /// }
    /// ```
    public func route(_ method: HTTPMethod, _ path: Path) -> UrlChainsBuilder<Path> {
        UrlChainsBuilder(client: self).route(method, path)
    }

    /// Starts a request to a path of an enum of routes, below the base of this client.
    public func route<Route: PathRoute & Sendable>(_ method: HTTPMethod, _ route: Route) -> UrlChainsBuilder<Route> {
        UrlChainsBuilder(client: self).route(method, route)
    }
}

/// A route below the base of its client: usually an enum with one case for each resource.
///
/// ```swift
/// enum UserRoute: PathRoute {
///     case users
///     case user(String)
///
///     var path: Path {
///         switch self {
///         case .users: "/users"
///         case .user(let id): "/users/\(id)"
///         }
///     }
/// }
/// ```
public protocol PathRoute: UrlRouteProvider {
    /// A path below a base.
    typealias Path = Client.Path

    /// The path of the resource.
    var path: Path { get }
}

extension PathRoute {
    /// Fails, because a path is no URL without a base.
    public func url() throws -> URL { try url(relativeTo: nil) }

    /// Joins base and path by the rules of `URL? + String`.
    ///
    /// - Throws: ``UrlRouteError`` if there is no base, or the path is not valid.
    public func url(relativeTo base: URL?) throws -> URL {
        let text = try path.text.get()
        let parts = URLText(text)
        if parts.hasAuthority {
            let remedy = "give it to UrlChainsBuilder(client:).route(_:_:)"
            throw UrlRouteError.cantBuildUrl("\(parts.redactedText) is a URL and no path: \(remedy)")
        }
        guard let base else {
            throw UrlRouteError.cantBuildUrl(
                "the path \(parts.redactedText) has no base: set it with Client(base:) or base(_:)"
            )
        }
        return try base + text
    }
}

extension Client {
    /// A path below the base of a client, with an optional query: `"/users/\(id)/photos?page=\(page)"`.
    ///
    /// Base and path are joined with exactly one `/` between them. What is interpolated is escaped, so that it can change
    /// neither the rest of the path nor the server: everything but letters, digits and `-._~`. The text around it is used as
    /// `URL? + String` uses it: escapes are kept, and a `?` or `#` starts a query or fragment.
    ///
    /// A value that no escape keeps in its place, such as an empty one, `.` or `..`, fails each call with `invalidURL`.
    public struct Path: PathRoute, ExpressibleByStringInterpolation, Hashable, Sendable {
        let text: Result<String, UrlRouteError>

        /// The path itself.
        public var path: Path { self }

        /// Takes text that is a path already, such as one from a configuration; nothing is escaped as a segment.
        ///
        /// Not for text from outside, which could name another resource.
        public init(raw text: String) { self.text = .success(text) }

        /// Takes a literal.
        public init(stringLiteral text: String) { self.init(raw: text) }

        /// Takes a literal with escaped values in it.
        public init(stringInterpolation: StringInterpolation) {
            text = stringInterpolation.error.map { .failure($0) } ?? .success(stringInterpolation.text)
        }

        /// Escapes the values of a path.
        public struct StringInterpolation: StringInterpolationProtocol {
            fileprivate var text = ""
            fileprivate var error: UrlRouteError?

            private var isInPath: Bool { !text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } }

            /// Creates an empty path.
            public init(literalCapacity: Int, interpolationCount: Int) {}

            /// Adds text as it is.
            public mutating func appendLiteral(_ literal: String) { text += literal }

            /// Adds text as one segment of the path or, after a `?`, as one name or value of the query.
            public mutating func appendInterpolation(_ value: some StringProtocol) {
                do {
                    let value = String(value)
                    text +=
                        isInPath ? try PercentEncoding.segment(value) : PercentEncoding.encode(value, as: .component)
                } catch {
                    self.error = self.error ?? error
                }
            }

            /// Adds text in the same way, spelled as in a `String`.
            public mutating func appendInterpolation(segment: some StringProtocol) { appendInterpolation(segment) }

            /// Adds text as several segments, each of which is escaped: `/` keeps its meaning, as in the key of an object or
            /// the path of a file.
            ///
            /// Empty segments stay; an empty text, and `.` or `..` as a segment, fail each call with `invalidURL`. After a `?`
            /// the text is one name or value of the query.
            public mutating func appendInterpolation(path: some StringProtocol) {
                let segments = path.split(separator: "/", omittingEmptySubsequences: false)
                guard isInPath, segments.count > 1 else { return appendInterpolation(path) }
                for (index, segment) in segments.enumerated() {
                    if index > 0 { text += "/" }
                    if !segment.isEmpty { appendInterpolation(segment) }
                }
            }

            /// Adds a number.
            public mutating func appendInterpolation(_ number: some Numeric & CustomStringConvertible) {
                appendInterpolation(number.description)
            }

            /// Adds an identifier, in upper case.
            public mutating func appendInterpolation(_ id: UUID) { appendInterpolation(id.uuidString) }

            /// An optional would be written as `Optional(…)` or `nil`.
            @available(*, unavailable, message: "an optional in a path: unwrap it first")
            public mutating func appendInterpolation<Value>(_ value: Value?) {}

            /// The description of another value is not meant for a path.
            @available(*, unavailable, message: "a path takes texts, numbers and UUIDs: write \\(value.id)")
            public mutating func appendInterpolation<Value>(_ value: Value) {}
        }
    }
}
