import CoreNetKitChain

/// What a login gives: the access token, and whatever its renewal needs, a refresh token for example.
///
/// ```swift
/// struct Login: TokenCredential, Codable {
///     var access: String
///     var refresh: String
///     var accessToken: AccessToken { AccessToken(access) }
/// }
/// ```
public protocol TokenCredential: Sendable {
    /// What authorizes requests.
    var accessToken: AccessToken { get }
}

extension AccessToken: TokenCredential {
    /// The token itself.
    public var accessToken: AccessToken { self }
}

/// A credential beside its token, which it is asked for once.
package struct HeldCredential: Sendable, Hashable {
    package let token: AccessToken
    package let whole: any TokenCredential

    package init(_ whole: any TokenCredential) {
        token = whole.accessToken
        self.whole = whole
    }

    package static func == (left: HeldCredential, right: HeldCredential) -> Bool { left.token == right.token }

    package func hash(into hasher: inout Hasher) { hasher.combine(token) }
}
