import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitHTTP

extension TokenRefresher {
    /// A bearer token that does not change, such as an API key: `authorize(.bearer("…", origins: ["https://api.example.com"]))`.
    ///
    /// A 401 fails the call, and after ``invalidate()`` or a logout each call fails with `tokenRefreshFailed`.
    ///
    /// - Parameters:
    ///   - token: The token as the server gave it.
    ///   - origins: The servers that may see the token.
    ///   - user: The user of the token, to separate stored data by user; with `nil` each value counts as another user.
    /// - Returns: A refresher that never refreshes; keep it with its client, like any other.
    public static func bearer(_ token: String, origins: Origins, user: String? = nil) -> TokenRefresher {
        TokenRefresher(token: AccessToken(token), origins: origins, user: user, refuses: { _ in false }) { _ in
            throw NetworkError(.tokenRefreshFailed, "the token of .bearer(_:origins:) cannot be renewed", node: .token)
        }
    }

    /// The servers that may see a token: scheme, host and port, such as `["https://api.example.com"]`.
    ///
    /// A route may come from a response, such as the link to the next page; the token is sent to these origins and to no
    /// other. Another port, another scheme or a subdomain is another origin.
    public struct Origins: Sendable, ExpressibleByArrayLiteral {
        /// `nil` for every server.
        private let servers: Set<Origin>?
        package let problem: String?

        private init(_ servers: Set<Origin>? = [], problem: String? = nil) {
            (self.servers, self.problem) = (servers, problem)
        }

        /// No origins: nothing is authorized, and each call fails with `invalidChain` before it is sent.
        public static let unnamed = Origins(
            problem: "the token has no origins: name its servers, such as origins: [\"https://api.example.com\"]"
        )

        /// Every server; only for chains that exclusively call the program's own servers.
        public static let any = Origins(nil)

        /// The origins of some URLs.
        ///
        /// - Parameter urls: Absolute http or https URLs, including those of Unix domain sockets. With an invalid URL, or
        ///   one with a path, a query or a user, each call fails with `invalidChain`.
        /// - Returns: These origins.
        public static func only(_ urls: [String]) -> Origins {
            var origins: Set<Origin> = []
            for text in urls {
                guard let url = URL(string: text), Origin(text: text) != nil || UnixSocket(text: text) != nil else {
                    return Origins(problem: "'\(text)' is not a valid origin for a token")
                }
                guard ["", "/"].contains(url.path(percentEncoded: true)), url.query == nil, url.fragment == nil,
                    url.user == nil
                else {
                    let shown = Redaction.text(of: text)
                    return Origins(problem: "'\(shown)' is more than an origin, and a token goes to all of it")
                }
                origins.insert(Origin(url))
            }
            return origins.isEmpty ? .unnamed : Origins(origins)
        }

        /// Creates origins from a literal of URLs.
        public init(arrayLiteral elements: String...) { self = .only(elements) }

        /// A text that identifies these origins, the same in every process.
        package var name: String { servers?.map(\.description).sorted().joined(separator: " ") ?? "*" }

        /// Whether a URL belongs to one of them.
        public func contains(_ url: URL) -> Bool { servers.map { Origin.isFound(url, in: $0) } ?? true }
    }
}
