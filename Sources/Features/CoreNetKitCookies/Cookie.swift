public import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// One cookie as a jar stores it.
///
/// Neither its description nor its reflection shows the value.
public struct Cookie: Sendable, Hashable, Codable {
    /// The `SameSite` attribute; stored and written, but it limits nothing here, because there is no page.
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// Not specified by the server.
        case unset
        /// Also for cross-site requests.
        case none
        /// Cross-site only for navigation.
        case lax
        /// Only for same-site requests.
        case strict
    }

    /// The name; may be empty.
    public let name: String
    /// The value.
    public let value: String
    /// The host of the cookie, in lower case and without a leading dot.
    public let domain: String
    /// Whether it applies to that host only, not to its subdomains.
    public let isHostOnly: Bool
    /// The path of the cookie.
    public let path: String
    /// When it expires; `nil` expires with the session.
    public let expires: Date?
    /// Whether it is sent only over https.
    public let isSecure: Bool
    /// Whether it is hidden from scripts of a page.
    public let isHTTPOnly: Bool
    /// The server's `SameSite` attribute.
    public let sameSite: SameSite
    /// When it was first set; a new value does not change it.
    public internal(set) var created: Date
    /// When it was last sent or set.
    public internal(set) var lastUsed: Date
    var receiptTime = CookieReceiptTime()
    var revision = CookieRevision()

    private enum CodingKeys: String, CodingKey {
        case name, value, domain, isHostOnly, path, expires, isSecure, isHTTPOnly, sameSite, created, lastUsed
        case receiptTime = "taken"
        case revision = "stored"
    }

    /// Creates a cookie; an infinite date is the farthest past or future.
    public init(
        name: String,
        value: String,
        domain: String,
        isHostOnly: Bool = true,
        path: String = "/",
        expires: Date? = nil,
        isSecure: Bool = false,
        isHTTPOnly: Bool = false,
        sameSite: SameSite = .unset,
        created: Date = Date()
    ) {
        self.name = name
        self.value = value
        self.domain = CookieDomain.canonical(domain)
        self.isHostOnly = isHostOnly
        self.path = path.hasPrefix("/") ? path : "/"
        self.expires = expires?.finite
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.created = created.finite
        self.lastUsed = self.created
    }

    /// Whether it has expired, judged only by the date; a jar also knows when it received the cookie.
    public func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }

    /// Whether it is exactly one cookie in any format (RFC 6265bis, 4.1.1 and 5.6).
    var isWellFormed: Bool {
        [name, value, domain, path].allSatisfy { FieldCheck.isValue($0) && !$0.utf8.contains(UInt8(ascii: ";")) }
            && !name.utf8.contains(UInt8(ascii: "="))
    }

    struct KeyInDomain: Hashable, Codable {
        let name: String
        let isHostOnly: Bool
        let path: String
    }

    var keyInDomain: KeyInDomain { KeyInDomain(name: name, isHostOnly: isHostOnly, path: path) }
    var id: CookieID { CookieID(domain: domain, keyInDomain: keyInDomain) }
}

/// The identity of a cookie within a partition, whatever its value.
struct CookieID: Hashable, Codable {
    let domain: String
    let keyInDomain: Cookie.KeyInDomain

    private enum CodingKeys: String, CodingKey {
        case domain
        case keyInDomain = "key"
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, domain and path.
    public var description: String { "\(name)=<redacted> for \(isHostOnly ? "" : ".")\(domain)\(path)" }
    /// Name, domain and path.
    public var debugDescription: String { description }
    /// Hides the value from `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}
