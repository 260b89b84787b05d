public import CoreNetKit
public import CoreNetKitEssentials

/// The user whose device is subscribed, and the authorization of the requests.
public struct KoreSession: Sendable, CustomStringConvertible {
    enum Authorization: Sendable {
        /// A token that is never renewed.
        case fixed(field: String, expires: Date?)
        case renewed(TokenRefresher)
    }

    /// The id of the user.
    public let userID: String
    let authorization: Authorization

    /// Creates a session with a token that only this service uses.
    ///
    /// - Parameters:
    ///   - userID: The id of the user.
    ///   - accessToken: The token of the login.
    ///   - tokenType: The authentication scheme before the token; `Bearer` if it is `nil` or blank.
    ///   - expires: When the token expires; it is renewed before that.
    ///   - refresh: Gets a new token, once for all waiting calls; `nil` fails with `tokenExpired` or `unauthorized`.
    /// - Throws: ``KorePushError`` with code `missingUserID`, `invalidUserID` or `missingAuthorization`.
    public init(
        userID: String,
        accessToken: String?,
        tokenType: String? = nil,
        expires: Date? = nil,
        refresh: TokenRefresher.Refresh? = nil
    ) throws(KorePushError) {
        self.userID = try Self.checked(userID)
        let token = try Self.checkedToken(accessToken)
        let type = tokenType.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } ?? "Bearer"
        guard let refresh else {
            authorization = .fixed(field: "\(type) \(token)", expires: expires)
            return
        }
        authorization = .renewed(
            TokenRefresher(
                token: AccessToken(token, expires: expires),
                // All requests of this service go to its own server.
                origins: .any,
                fields: { ["Authorization": "\(type) \($0.value)"] },
                refresh: { current in
                    let renewed = try await refresh(current)
                    _ = try Self.checkedToken(renewed.value)
                    return renewed
                }
            )
        )
    }

    /// Creates a session with a token that other services of the app share, so that one refresh serves all of them;
    /// throws ``KorePushError`` with code `missingUserID` or `invalidUserID`.
    public init(userID: String, tokens: TokenRefresher) throws(KorePushError) {
        self.userID = try Self.checked(userID)
        authorization = .renewed(tokens)
    }

    /// The user, without any token.
    public var description: String { "KoreSession(userID: \(userID))" }

    private static func checked(_ userID: String) throws(KorePushError) -> String {
        guard !userID.allSatisfy(\.isWhitespace) else { throw KorePushError(.missingUserID, "the user id is blank") }
        do {
            _ = try "\(segment: userID)"
        } catch {
            throw KorePushError(.invalidUserID, "the user id cannot be a segment of a path", cause: error)
        }
        return userID
    }

    private static func checkedToken(_ accessToken: String?) throws(KorePushError) -> String {
        guard let accessToken, !accessToken.allSatisfy(\.isWhitespace) else {
            throw KorePushError(.missingAuthorization, "the access token is missing or blank")
        }
        return accessToken
    }
}
