public import CoreNetKitEssentials
import CoreNetKitChain

/// What authorizes a request, and until when.
public struct AccessToken: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The token as the server gave it.
    public var value: String
    /// When it stops to work; `nil` when only a refused request tells.
    public var expires: Date?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - value: The token as the server gave it.
    ///   - expires: When it stops to work.
    public init(_ value: String, expires: Date? = nil) {
        self.value = value
        self.expires = expires
    }

    /// When it stops to work; never the token itself.
    public var description: String { "AccessToken(<redacted>, expires: \(expires.map { "\($0)" } ?? "unknown"))" }

    /// When it stops to work.
    public var customMirror: Mirror { Mirror(self, children: ["expires": expires as Any], displayStyle: .struct) }
}
