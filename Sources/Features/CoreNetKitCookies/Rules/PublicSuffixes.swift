/// Identifies domains under which anyone can register a name, such as `com` and `co.uk`: no cookie may be set for them.
public struct PublicSuffixes: Sendable {
    /// The origin of the list, for diagnostics.
    public let source: String
    private let isListed: @Sendable (String) -> Bool

    /// Creates a custom list.
    ///
    /// - Parameters:
    ///   - source: The origin of the list.
    ///   - contains: Whether a domain, in lower case and without dots at its ends, is a public suffix.
    public init(source: String, contains: @escaping @Sendable (String) -> Bool) {
        self.source = source
        isListed = contains
    }

    /// Whether the domain is a public suffix.
    public func contains(_ domain: String) -> Bool { isListed(domain) }

    /// The list of the system's libpsl, loaded on first access; without it, ``conservative(allowing:)``.
    public static let system = SystemSuffixes.load() ?? conservative()

    /// Treats every domain of one or two labels as a public suffix: safe, but `Domain=example.com` is refused.
    ///
    /// - Parameter domains: Domains of two labels for which cookies are allowed nevertheless.
    /// - Returns: A list that needs no data.
    public static func conservative(allowing domains: Set<String> = []) -> PublicSuffixes {
        PublicSuffixes(source: "rule: one or two labels") { domain in
            domain.split(separator: ".").count <= 2 && !domains.contains(domain)
        }
    }
}
