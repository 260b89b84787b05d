public import CoreNetKitEssentials

/// The result of a login: the access token, and everything that its renewal needs, for example a refresh token.
///
/// ```swift
/// struct Login: TokenCredential, Codable {
///     var access: String
///     var refresh: String
///     var accessToken: AccessToken { AccessToken(access) }
/// }
/// ```
public protocol TokenCredential: Sendable {
    /// The token that authorizes requests.
    var accessToken: AccessToken { get }
}

extension AccessToken: TokenCredential {
    /// The token itself.
    public var accessToken: AccessToken { self }
}

/// A credential with its token, which is read only once.
package struct HeldCredential: Sendable, Hashable {
    package let token: AccessToken
    package let credential: any TokenCredential

    package init(_ credential: any TokenCredential) {
        token = credential.accessToken
        self.credential = credential
    }

    package static func == (left: HeldCredential, right: HeldCredential) -> Bool { left.token == right.token }

    package func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

/// The token that authorizes requests, and its expiry.
public struct AccessToken: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The token as the server gave it.
    public var value: String
    /// The expiry; `nil` if it is unknown, so that only a rejected request shows it.
    public var expires: Date?

    /// Creates a token.
    public init(_ value: String, expires: Date? = nil) {
        (self.value, self.expires) = (value, expires)
    }

    /// Only the expiry; never the token itself.
    public var description: String { "AccessToken(<redacted>, expires: \(expires.map { "\($0)" } ?? "unknown"))" }

    /// The expiry.
    public var customMirror: Mirror { Mirror(self, children: ["expires": expires as Any], displayStyle: .struct) }
}
