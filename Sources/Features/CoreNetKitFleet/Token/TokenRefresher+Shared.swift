public import CoreNetKitChain
public import CoreNetKitHTTP
public import CoreNetKitRecovery

extension TokenRefresher {
    /// Creates a refresher for a credential that several processes share: one refresh for all of them.
    ///
    /// Each process makes one with the same settings. The first process that needs a new token gets it from `refresh`;
    /// the others take the whole credential from the store, so that the refresh token that one of them spends next is
    /// the newest one. A login, ``CoreNetKitRecovery/TokenRefresher/set(_:user:)`` included, and a logout reach all. A
    /// process that missed such a change notices it when it needs its next token.
    ///
    /// - Parameters:
    ///   - shared: Where the credential is shared, and how.
    ///   - token: What this process begins with; what the store has is newer.
    ///   - origins: The servers that may see the token.
    ///   - user: The user, the same text in every process; logins without a name are `invalidChain` here.
    ///   - margin: How long before it expires a token is renewed; not below zero.
    ///   - timeout: The longest time that a call waits for the refresh, the other processes' included; above the lease.
    ///   - coolDown: How long after a refresh that failed for good no other begins.
    ///   - fields: The header fields of a token, asked for once for each.
    ///   - refuses: Which failures mean that the token is no longer valid; status 401 by default.
    ///   - save: Keeps each new credential before any call of this process uses it.
    ///   - refresh: Gets a new credential from the server. An error with `isSafeToResend`, or with a status of 400 to 499, says
    ///     that the refresh token was not spent; any other one leaves that open, see ``SharedCredentials/LostRefresh``.
    public convenience init<Credential: TokenCredential & Codable>(
        shared: SharedCredentials,
        token: Credential? = nil,
        origins: Origins = .unnamed,
        user: String,
        margin: Duration = .seconds(30),
        timeout: Duration = .seconds(30),
        coolDown: Duration = .seconds(30),
        fields: @escaping @Sendable (AccessToken) -> Headers = { ["Authorization": "Bearer \($0.value)"] },
        refuses: @escaping @Sendable (NetworkError) -> Bool = { $0.status == 401 },
        save: (@Sendable (_ credential: Credential) async throws -> Void)? = nil,
        refresh: @escaping @Sendable (_ current: Credential?) async throws -> Credential
    ) {
        self.init(
            sharing: shared.login(of: user, CredentialCoding(Credential.self), origins, timeout),
            token: token,
            origins: origins,
            user: user,
            margin: margin,
            timeout: timeout,
            coolDown: coolDown,
            fields: fields,
            refuses: refuses,
            save: save,
            refresh: refresh
        )
    }

    /// Creates a refresher for a plain token that several processes share.
    ///
    /// For tokens that are asked for with a secret that all processes have, as by client credentials; where a refresh token
    /// belongs to it, make it a credential.
    ///
    /// - Parameters:
    ///   - shared: Where the token is shared, and how.
    ///   - token: What this process begins with; what the store has is newer.
    ///   - origins: The servers that may see the token.
    ///   - user: The user, the same text in every process.
    ///   - margin: How long before it expires a token is renewed; not below zero.
    ///   - timeout: The longest time that a call waits for the refresh, above the lease.
    ///   - coolDown: How long after a refresh that failed for good no other begins.
    ///   - fields: The header fields of a token, asked for once for each.
    ///   - refuses: Which failures mean that the token is no longer valid; status 401 by default.
    ///   - save: Keeps each new token before any call of this process uses it.
    ///   - refresh: Gets a new token from the server.
    public convenience init(
        shared: SharedCredentials,
        token: AccessToken? = nil,
        origins: Origins = .unnamed,
        user: String,
        margin: Duration = .seconds(30),
        timeout: Duration = .seconds(30),
        coolDown: Duration = .seconds(30),
        fields: @escaping @Sendable (AccessToken) -> Headers = { ["Authorization": "Bearer \($0.value)"] },
        refuses: @escaping @Sendable (NetworkError) -> Bool = { $0.status == 401 },
        save: Save? = nil,
        refresh: @escaping Refresh
    ) {
        self.init(
            sharing: shared.login(of: user, .tokens, origins, timeout),
            token: token,
            origins: origins,
            user: user,
            margin: margin,
            timeout: timeout,
            coolDown: coolDown,
            fields: fields,
            refuses: refuses,
            save: save,
            refresh: refresh
        )
    }
}

extension SharedCredentials {
    /// One user's login, as all processes have it; settings that do not fit together are its problem.
    fileprivate func login(
        of user: String,
        _ coding: CredentialCoding,
        _ origins: TokenRefresher.Origins,
        _ timeout: Duration
    ) -> SharedLogin {
        SharedLogin(self, coding, origins: origins.name, problem: problem(timeout: timeout, user: user))
    }
}
