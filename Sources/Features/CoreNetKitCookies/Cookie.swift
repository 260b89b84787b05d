public import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// One cookie as a jar keeps it.
///
/// Neither its description nor its reflection shows the value.
public struct Cookie: Sendable, Hashable, Codable {
    /// What a server says about requests that other sites cause; kept and written, but without a page it limits nothing.
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// The server said nothing.
        case unset
        /// Also for requests that other sites cause.
        case none
        /// Only for navigation.
        case lax
        /// For the site's own requests only.
        case strict
    }

    /// The name; may be empty.
    public let name: String
    /// The value.
    public let value: String
    /// The host it belongs to, in lower case and without a leading dot.
    public let domain: String
    /// Whether it is for that host only and not for those below it.
    public let isHostOnly: Bool
    /// The path it belongs to.
    public let path: String
    /// When it ends; `nil` ends with the session.
    public let expires: Date?
    /// Whether it is for https only.
    public let isSecure: Bool
    /// Whether scripts of a page may not see it.
    public let isHTTPOnly: Bool
    /// What the server says about requests of other sites.
    public let sameSite: SameSite
    /// When it came first; a new value does not change it.
    public internal(set) var created: Date
    /// When it was last sent or set.
    public internal(set) var lastUsed: Date
    var taken = CookieTaken()
    var stored = CookieRevision()

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

    /// Whether it has expired, by the date alone; a jar also knows when it received the cookie.
    public func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }

    /// Whether it is one cookie wherever it is written: no control characters but tabs, no `;`, and no `=` in the name.
    ///
    /// - SeeAlso: RFC 6265bis, 4.1.1 and 5.6
    var isWellFormed: Bool {
        [name, value, domain, path].allSatisfy { FieldCheck.isValue($0) && !$0.utf8.contains(UInt8(ascii: ";")) }
            && !name.utf8.contains(UInt8(ascii: "="))
    }

    /// What makes two cookies the same one.
    var key: Key { Key(name: name, isHostOnly: isHostOnly, path: path) }

    struct Key: Hashable, Codable {
        let name: String
        let isHostOnly: Bool
        let path: String
    }

    /// Its identity among the cookies of a partition.
    var place: CookiePlace { CookiePlace(domain: domain, key: key) }
}

/// Where a cookie stands among those of a partition, whatever its value.
struct CookiePlace: Hashable, Codable {
    let domain: String
    let key: Cookie.Key
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, domain and path.
    public var description: String { "\(name)=<redacted> for \(isHostOnly ? "" : ".")\(domain)\(path)" }
    /// Name, domain and path.
    public var debugDescription: String { description }
    /// Nothing that `dump` could show.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}
