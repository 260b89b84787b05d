public import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// Keeps the token of one login for many calls, and renews it once for all of them.
///
/// Make one for each login and give it to a ``Client`` or a builder. While a refresh runs, every call waits for it, new
/// ones too; never two run at once. A refresh that has begun is finished, also when every call that waited for it was
/// cancelled: a server that gives out each refresh token once would otherwise end the login. One that fails, fails all
/// who wait, and no other begins before the cool-down is over.
///
/// The refresh may use the same client: its own calls are sent without the token and wait for no limit.
public final class TokenRefresher: Sendable {
    /// Gets a new token; the current one is passed in, where there is one.
    public typealias Refresh = @Sendable (_ current: AccessToken?) async throws -> AccessToken
    /// Keeps a new token where the next start of the program finds it.
    public typealias Save = @Sendable (_ token: AccessToken) async throws -> Void

    /// The closures without the type of the credential: a refresher is one type, whatever it keeps.
    typealias AnyRefresh = @Sendable ((any TokenCredential)?) async throws -> any TokenCredential
    typealias AnySave = @Sendable (any TokenCredential) async throws -> Void

    struct State: Sendable {
        var rules: TokenState<Waiter<TokenGrant>>
        var task: Task<Void, Never>?
        /// Whether the running refresh has had its time, by the clock of the call that began it.
        var isOverdue: @Sendable () -> Bool = { false }
        /// Whether no refresh is held off any more, by the clock of the call whose refresh failed.
        var isRestOver: @Sendable () -> Bool = { true }
        /// Why the last refresh failed.
        var failure: NetworkError?
        /// The fields of the token that was granted last, and its epoch.
        var fields: (epoch: Int, headers: Headers)?
        /// Under which names tokens were sent so far.
        var fieldNames: [String] = []
        /// The login whose token it is.
        var session: Partition.Session
        /// How often the token was set from outside, so that a login that is still being saved knows of a later one.
        var sets = 0
        /// The last save in the line, and how many there are.
        var saving: Task<Void, Never>?
        var saves = 0
        /// Who waits until nothing is refreshed or saved.
        var watchers: [Waiter<Void>] = []

        /// The fields of a token that was sent before.
        func known(_ grant: TokenGrant) -> (headers: Headers, names: [String])? {
            guard let fields, fields.epoch == grant.epoch else { return nil }
            return (fields.headers, fieldNames)
        }

        /// Who waits, if that is over; they are not told twice.
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
    /// Who shares the credential with other processes.
    let sharing: (any CredentialSharing)?
    /// The problem of the settings, on one line; with one, every call fails with `invalidChain`.
    public let problem: String?

    /// Creates a refresher for a credential of your own: what a refresh needs beside the token is kept with it.
    ///
    /// - Parameters:
    ///   - token: The credential to begin with; `nil` gets one for the first call.
    ///   - origins: The servers that may see the token. Without them nothing is authorized: each call fails with
    ///     `invalidChain`.
    ///   - user: Whose token it is, for what is kept apart by user; `nil` takes every login for another user's.
    ///   - margin: How long before it expires a token is renewed; not below zero.
    ///   - timeout: The longest time that a call waits for the refresh, and a refresh may take, above zero; the deadline
    ///     of a call may be earlier.
    ///   - coolDown: How long after a refresh that failed for good no other begins; calls that need one fail at once with
    ///     the same error. A failure that may pass, as of the connection, has none but the server's `Retry-After`.
    ///   - fields: The header fields of a token, asked for once for each; `Authorization: Bearer …` by default.
    ///   - refuses: Which failures mean that the token does not work any more; status 401 by default.
    ///   - save: Keeps each renewed credential before any call uses it, and each of ``login(_:user:)``. When it throws, who
    ///     waits fails with its error, and the next call saves the same credential again. Those of ``set(_:user:)`` and
    ///     ``renewed(_:in:)`` are not passed to it.
    ///   - refresh: Gets a new credential; the current one is passed in, `nil` where there is none of this type.
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
        var keep: AnySave?
        if let save { keep = { credential in try await save(try Self.own(credential)) } }
        let settings = Settings(origins, margin, timeout, coolDown, fields, refuses)
        self.init(settings, token, user: user, save: keep) { current in try await refresh(current as? Credential) }
    }

    /// Creates a refresher for plain tokens.
    ///
    /// - Parameters:
    ///   - token: The token to begin with; `nil` gets one for the first call.
    ///   - origins: The servers that may see the token. Without them nothing is authorized: each call fails with
    ///     `invalidChain`.
    ///   - user: Whose token it is, for what is kept apart by user; `nil` takes every login for another user's.
    ///   - margin: How long before it expires a token is renewed; not below zero.
    ///   - timeout: The longest time that a call waits for the refresh, and a refresh may take, above zero.
    ///   - coolDown: How long after a refresh that failed for good no other begins.
    ///   - fields: The header fields of a token, asked for once for each; `Authorization: Bearer …` by default.
    ///   - refuses: Which failures mean that the token does not work any more; status 401 by default.
    ///   - save: Keeps each renewed token before any call uses it, and each of ``login(_:user:)``.
    ///   - refresh: Gets a new token.
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
        var keep: AnySave?
        if let save { keep = { credential in try await save(credential.accessToken) } }
        let settings = Settings(origins, margin, timeout, coolDown, fields, refuses)
        self.init(settings, token, user: user, save: keep) { current in try await refresh(current?.accessToken) }
    }

    init(
        _ settings: Settings,
        _ token: (any TokenCredential)?,
        user: String?,
        save: AnySave?,
        sharing: (any CredentialSharing)? = nil,
        refresh: @escaping AnyRefresh
    ) {
        let rules = TokenState<Waiter<TokenGrant>>(token: token, margin: settings.margin / .seconds(1))
        state = Locked(State(rules: rules, session: .beginning(Self.partition(of: user))))
        origins = settings.origins
        timeout = settings.timeout.bounded
        coolDown = settings.coolDown.bounded
        fields = settings.fields
        refuses = settings.refuses
        self.save = save
        self.refresh = refresh
        self.sharing = sharing
        problem = settings.problem ?? sharing?.problem
    }

    /// The token that calls are sent with, `nil` before the first refresh and after a logout.
    public var token: AccessToken? { state.withLock { $0.rules.token } }

    /// Whether there was a logout, and no login after it: calls fail with `tokenRefreshFailed`, nothing is refreshed.
    public var isSignedOut: Bool { state.withLock { $0.rules.isSignedOut } }

    /// How many calls wait for a refresh.
    public var callsWaiting: Int { state.withLock { $0.rules.waiting.count } }

    /// Whose responses and requests these are: the same text for the same user, another one after a logout or a login.
    ///
    /// What is kept for a user has it in its key. A user who is not named gets a new one with each login, and with each
    /// start of the program.
    public var partition: Partition { session.partition }

    /// The login that calls belong to.
    ///
    /// A logout, a login by another name and one without a name begin another one; a login
    /// by the same name without a logout between, ``renewed(_:in:)`` and each refresh continue it.
    public var session: Partition.Session { state.withLock { $0.session } }

    /// Whether requests to a URL get the token.
    ///
    /// - Parameter url: Where a request goes.
    /// - Returns: Whether its origin is one of those that were named.
    public func authorizes(_ url: URL) -> Bool { origins.contains(url) }

    /// Gives the token up, and forgets a failed refresh: the next call refreshes.
    ///
    /// Does nothing after a logout.
    public func invalidate() {
        state.withLock { $0.rules.invalidate() }
    }
}

extension TokenRefresher: CustomStringConvertible, CustomReflectable {
    /// Whether somebody is signed in; never the token.
    public var description: String { "TokenRefresher(\(isSignedOut ? "signed out" : "signed in"))" }

    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
