public import CoreNetKitEssentials
import CoreNetKitChain

/// The token that authorizes requests, and its expiry.
public struct AccessToken: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The token as the server gave it.
    public var value: String
    /// The expiry; `nil` if it is unknown, so that only a rejected request shows it.
    public var expires: Date?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - value: The token as the server gave it.
    ///   - expires: The expiry.
    public init(_ value: String, expires: Date? = nil) {
        self.value = value
        self.expires = expires
    }

    /// Only the expiry; never the token itself.
    public var description: String { "AccessToken(<redacted>, expires: \(expires.map { "\($0)" } ?? "unknown"))" }

    /// The expiry.
    public var customMirror: Mirror { Mirror(self, children: ["expires": expires as Any], displayStyle: .struct) }
}
