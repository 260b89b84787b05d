public import CoreNetKitChain
public import CoreNetKitHTTP
public import CoreNetKitRecovery

extension TokenRefresher {
    /// Creates a refresher for a credential that several processes share: one refresh for all of them.
    ///
    /// Each process creates one with the same settings. The first process that needs a new token gets it from `refresh`; the
    /// others read the whole credential from the store, so that the next refresh always spends the newest refresh token. A
    /// login, including ``CoreNetKitRecovery/TokenRefresher/set(_:user:)``, and a logout reach all processes. A process that
    /// missed such a change notices it when it needs its next token.
    ///
    /// The initial `token` is that of this process; the stored one is newer. The user is named by the same text in
    /// every process; logins without a name are `invalidChain` here. A call waits no longer than the timeout, which is
    /// above the lease, for a refresh by this or another process. `save` saves each new credential before any call of
    /// this process uses it. An error of `refresh` with `isSafeToResend`, or with a status of 400 to 499, means that
    /// the refresh token was not spent; any other error leaves that open, see ``SharedCredentials/LostRefresh``. The
    /// other parameters are those of a refresher whose credential is not shared.
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
        let sharing = shared.login(of: user, CredentialCoding(Credential.self), origins, timeout)
        self.init(token, user, origins, margin, timeout, coolDown, fields, refuses, save, refresh, sharing)
    }

    /// Creates a refresher for a plain token that several processes share.
    ///
    /// For tokens that are requested with a secret that all processes have, as with client credentials. For a token with a
    /// refresh token, use a credential type. The parameters are those of the initializer for one.
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
        let sharing = shared.login(of: user, .tokens, origins, timeout)
        self.init(token, user, origins, margin, timeout, coolDown, fields, refuses, save, refresh, sharing)
    }
}

extension SharedCredentials {
    /// Creates one user's shared login; settings that do not fit together become its problem.
    fileprivate func login(
        of user: String,
        _ coding: CredentialCoding,
        _ origins: TokenRefresher.Origins,
        _ timeout: Duration
    ) -> SharedLogin {
        SharedLogin(self, coding, origins: origins.name, problem: problem(timeout: timeout, user: user))
    }
}
