public import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// Keeps the token of one login for many calls, and renews it once for all of them.
///
/// Create one for each login and pass it to a ``Client`` or a builder. While a refresh runs, every call waits for it,
/// even a new one; there is never more than one refresh at a time. A refresh that has begun is finished even if every
/// waiting call was cancelled: a server that issues each refresh token only once would otherwise end the login. A failed
/// refresh fails all waiting calls, and no other starts before the cool-down has passed.
///
/// The refresh may use the same client: its own calls are sent without the token and skip the limits.
public final class TokenRefresher: Sendable {
    /// Gets a new token; the current one, if any, is passed in.
    public typealias Refresh = @Sendable (_ current: AccessToken?) async throws -> AccessToken
    /// Saves a new token for the next start of the program.
    public typealias Save = @Sendable (_ token: AccessToken) async throws -> Void

    /// The closures without the type of the credential, because a refresher is one type for all credentials.
    typealias AnyRefresh = @Sendable ((any TokenCredential)?) async throws -> any TokenCredential
    typealias AnySave = @Sendable (any TokenCredential) async throws -> Void

    struct State: Sendable {
        var rules: TokenState<Waiter<TokenGrant>>
        var task: Task<Void, Never>?
        /// Whether the running refresh has timed out, on the clock of the call that started it.
        var isOverdue: @Sendable () -> Bool = { false }
        /// Whether the cool-down has passed, on the clock of the call whose refresh failed.
        var isPauseOver: @Sendable () -> Bool = { true }
        var failure: NetworkError?
        /// The fields of the last granted token, and its epoch.
        var fields: (epoch: Int, headers: Headers)?
        /// The names of the fields in which tokens were sent so far.
        var fieldNames: [String] = []
        var session: Partition.Session
        /// The number of times the token was set from outside, so that a login being saved detects a later one.
        var sets = 0
        /// The last save in the queue, and the number of saves.
        var saving: Task<Void, Never>?
        var saves = 0
        /// The callers that wait until no refresh or save is running.
        var watchers: [Waiter<Void>] = []

        func known(_ grant: TokenGrant) -> (headers: Headers, names: [String])? {
            guard let fields, fields.epoch == grant.epoch else { return nil }
            return (fields.headers, fieldNames)
        }

        /// Removes and returns the waiting callers, if there is no refresh or save.
        mutating func idleWatchers() -> [Waiter<Void>] {
            guard !rules.isRefreshing, saves == 0 else { return [] }
            defer { watchers = [] }
            return watchers
        }
    }

    let state: Locked<State>
    let refresh: AnyRefresh
    let save: AnySave?
    let fields: @Sendable (AccessToken) -> Headers
    let refuses: @Sendable (NetworkError) -> Bool
    let origins: Origins
    let timeout: Duration
    let coolDown: Duration
    let sharing: (any CredentialSharing)?
    package let settingsProblem: String?

    /// Creates a refresher for a custom credential, which contains everything that a refresh needs besides the token.
    ///
    /// - Parameters:
    ///   - token: The initial credential; with `nil`, the first call gets one.
    ///   - origins: The servers that may see the token. Without them nothing is authorized: each call fails with
    ///     `invalidChain`.
    ///   - user: The user of the token, to separate stored data by user; with `nil` every login counts as another user.
    ///   - margin: How long before its expiry a token is renewed; not below zero.
    ///   - timeout: The maximum time that a call waits for the refresh, and that a refresh may take, above zero; the
    ///     deadline of a call may be earlier.
    ///   - coolDown: How long no other refresh starts after a permanent failure; calls that need one fail at once with
    ///     the same error. After a transient failure, such as a lost connection, only the server's `Retry-After`
    ///     applies.
    ///   - fields: The header fields of a token, called once for each; `Authorization: Bearer …` by default.
    ///   - refuses: Which failures mean that the token is no longer valid; status 401 by default.
    ///   - save: Saves each renewed credential before any call uses it, and each one of ``login(_:user:)``. If it throws,
    ///     waiting calls fail with its error, and the next call saves the same credential again. Credentials of
    ///     ``set(_:user:)`` and ``adopt(_:in:)`` are not passed to it.
    ///   - refresh: Gets a new credential; the current one is passed in, `nil` if there is none of this type.
    public convenience init<Credential: TokenCredential>(
        token: Credential? = nil,
        origins: Origins = .unnamed,
        user: String? = nil,
        margin: Duration = .seconds(30),
        timeout: Duration = .seconds(30),
        coolDown: Duration = .seconds(30),
        fields: @escaping @Sendable (AccessToken) -> Headers = { ["Authorization": "Bearer \($0.value)"] },
        refuses: @escaping @Sendable (NetworkError) -> Bool = { $0.status == 401 },
        save: (@Sendable (_ credential: Credential) async throws -> Void)? = nil,
        refresh: @escaping @Sendable (_ current: Credential?) async throws -> Credential
    ) {
        self.init(token, user, origins, margin, timeout, coolDown, fields, refuses, save, refresh, nil)
    }

    /// Creates a refresher for plain tokens; the parameters are those of the initializer for a custom credential.
    public convenience init(
        token: AccessToken? = nil,
        origins: Origins = .unnamed,
        user: String? = nil,
        margin: Duration = .seconds(30),
        timeout: Duration = .seconds(30),
        coolDown: Duration = .seconds(30),
        fields: @escaping @Sendable (AccessToken) -> Headers = { ["Authorization": "Bearer \($0.value)"] },
        refuses: @escaping @Sendable (NetworkError) -> Bool = { $0.status == 401 },
        save: Save? = nil,
        refresh: @escaping Refresh
    ) {
        self.init(token, user, origins, margin, timeout, coolDown, fields, refuses, save, refresh, nil) {
            $0.accessToken
        }
    }

    /// `sharing` shares it with other processes; `user` is never `nil` then, so that none gets another user's credential.
    package init<Credential: TokenCredential>(
        _ token: Credential?,
        _ user: String?,
        _ origins: Origins,
        _ margin: Duration,
        _ timeout: Duration,
        _ coolDown: Duration,
        _ fields: @escaping @Sendable (AccessToken) -> Headers,
        _ refuses: @escaping @Sendable (NetworkError) -> Bool,
        _ save: (@Sendable (Credential) async throws -> Void)?,
        _ refresh: @escaping @Sendable (Credential?) async throws -> Credential,
        _ sharing: (any CredentialSharing)?,
        _ convert: (@Sendable (any TokenCredential) throws -> Credential)? = nil
    ) {
        let own: @Sendable (any TokenCredential) throws -> Credential = convert ?? { try Self.own($0) }
        let rules = TokenState<Waiter<TokenGrant>>(token: token, margin: margin / .seconds(1))
        state = Locked(State(rules: rules, session: .beginning(Self.partition(of: user))))
        (self.origins, self.timeout, self.coolDown) = (origins, timeout.bounded, coolDown.bounded)
        (self.fields, self.refuses, self.sharing) = (fields, refuses, sharing)
        self.save = save.map { save -> AnySave in { try await save(try own($0)) } }
        self.refresh = { current in try await refresh(current.flatMap { try? own($0) }) }
        settingsProblem =
            if margin < .zero {
                "the margin of \(margin) for tokens is below zero"
            } else if coolDown < .zero {
                "the cool-down of \(coolDown) for tokens is below zero"
            } else if timeout <= .zero {
                "the timeout of \(timeout) for tokens is not above zero"
            } else {
                origins.problem ?? sharing?.problem
            }
    }

    /// The current token; `nil` before the first refresh and after a logout.
    public var token: AccessToken? { state.withLock { $0.rules.token } }

    /// Whether there was a logout and no later login: calls fail with `tokenRefreshFailed`, and nothing is refreshed.
    public var isSignedOut: Bool { state.withLock { $0.rules.isSignedOut } }

    /// The number of calls that wait for a refresh.
    public var callsWaiting: Int { state.withLock { $0.rules.waiting.count } }

    /// The user of requests and responses: the same partition for the same user, another one after a logout or another login.
    ///
    /// Data of a user is stored under it. A user without a name gets a new one with each login, and with each start of
    /// the program.
    public var partition: Partition { session.partition }

    /// The session that calls belong to.
    ///
    /// A logout, a login under another name and one without a name begin a new session; a login under the same name
    /// without a logout in between, ``adopt(_:in:)`` and each refresh continue it.
    public var session: Partition.Session { state.withLock { $0.session } }

    /// Whether requests to a URL get the token: whether its origin is one of the refresher's origins.
    public func authorizes(_ url: URL) -> Bool { origins.contains(url) }

    /// Discards the token, and forgets a failed refresh: the next call refreshes.
    ///
    /// Does nothing after a logout.
    public func invalidate() { state.withLock { $0.rules.invalidate() } }
}

extension TokenRefresher: CustomStringConvertible, DescriptionOnly {
    /// Whether a user is signed in; never the token.
    public var description: String { "TokenRefresher(\(isSignedOut ? "signed out" : "signed in"))" }
}
