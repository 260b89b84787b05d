public import CoreNetKitChain
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
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

    struct State: Sendable {
        var rules: TokenState<Waiter<TokenGrant>>
        var task: Task<Void, Never>?
        /// Whether the running refresh has had its time, by the clock of the call that began it.
        var isOverdue: @Sendable () -> Bool = { false }
        /// Why the last refresh failed.
        var failure: NetworkError?
        /// The fields of the token that was granted last, and its epoch.
        var fields: (epoch: Int, headers: Headers)?
        /// Under which names tokens were sent so far.
        var fieldNames: [String] = []
        var partition: Partition
        /// Who waits for the end of the running refresh.
        var watchers: [Waiter<Void>] = []
    }

    let state: Locked<State>
    let refresh: Refresh
    let save: Save?
    let fields: @Sendable (AccessToken) -> Headers
    let refuses: @Sendable (NetworkError) -> Bool
    let origins: Origins
    let timeout: Duration
    let coolDown: Duration
    /// What is wrong with the settings, on one line; every call then fails with `invalidChain`.
    public let problem: String?

    /// Creates a refresher.
    ///
    /// - Parameters:
    ///   - token: The token to begin with; `nil` gets one for the first call.
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
    ///   - save: Keeps each renewed token before any call uses it. When it throws, who waits fails with its error, and
    ///     the next call saves the same token again. Tokens of ``set(_:user:)`` are not passed to it.
    ///   - refresh: Gets a new token.
    public init(
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
        let rules = TokenState<Waiter<TokenGrant>>(token: token, margin: margin / .seconds(1))
        state = Locked(State(rules: rules, partition: Self.partition(of: user)))
        self.origins = origins
        // Safe to count with.
        self.timeout = min(timeout, .seconds(Int64(1) << 40))
        self.coolDown = coolDown
        self.fields = fields
        self.refuses = refuses
        self.save = save
        self.refresh = refresh
        if margin < .zero {
            problem = "the margin of \(margin) for tokens is below zero"
        } else if coolDown < .zero {
            problem = "the cool-down of \(coolDown) for tokens is below zero"
        } else {
            problem = timeout <= .zero ? "the timeout of \(timeout) for tokens is not above zero" : origins.problem
        }
    }

    /// The token that calls are sent with, `nil` before the first refresh and after a logout.
    public var token: AccessToken? { state.withLock { $0.rules.token } }

    /// Whether there was a logout, and no login after it: calls fail with `tokenRefreshFailed`, nothing is refreshed.
    public var isSignedOut: Bool { state.withLock { $0.rules.isSignedOut } }

    /// How many calls wait for a refresh.
    public var callsWaiting: Int { state.withLock { $0.rules.waiting.count } }

    /// Whose responses and requests these are: the same text for the same user, another one after a logout or a login.
    ///
    /// What is shared between calls has it in its key. A user who is not named gets a new one with each login, and with
    /// each start of the program.
    public var partition: Partition { state.withLock { $0.partition } }

    /// Whether requests to a URL get the token.
    ///
    /// - Parameter url: Where a request goes.
    /// - Returns: Whether its origin is one of those that were named.
    public func authorizes(_ url: URL) -> Bool { origins.contains(url) }

    /// Replaces the token: after a login, or with `nil` after a logout.
    ///
    /// Who waits for a refresh goes on with the new token, or fails when there is none. The refresh is cancelled, and
    /// changes nothing any more; ``idle()`` waits for its end. After a logout only another login brings a token.
    ///
    /// - Parameters:
    ///   - token: The token of the login, `nil` for a logout.
    ///   - user: Whose token it is; see ``partition``.
    public func set(_ token: AccessToken?, user: String? = nil) {
        let partition = Self.partition(of: token == nil ? nil : user)
        let (task, callers, grant) = state.withLock { state in
            let (callers, grant) = state.rules.set(token)
            state.partition = partition
            return (state.task, callers, grant)
        }
        task?.cancel()
        for caller in callers { caller.resume(grant.map { .success($0) } ?? .failure(Self.signedOut)) }
    }

    /// Gives the token up, and forgets a failed refresh: the next call refreshes.
    ///
    /// Does nothing after a logout.
    public func invalidate() {
        state.withLock { $0.rules.invalidate() }
    }

    /// Waits until no refresh runs and no token is being saved, as before a saved token is deleted after a logout.
    public func idle() async {
        let watcher = Waiter<Void>()
        let isIdle = state.withLock { state in
            if state.rules.isRefreshing { state.watchers.append(watcher) }
            return !state.rules.isRefreshing
        }
        // Who is cancelled does not wait any more.
        if !isIdle { try? await watcher.value() }
    }

    private static func partition(of user: String?) -> Partition {
        user.map { Partition($0) } ?? Partition("login \(UUID().uuidString)", isStable: false)
    }
}

extension TokenRefresher: CustomStringConvertible, CustomReflectable {
    /// Whether somebody is signed in; never the token.
    public var description: String { "TokenRefresher(\(isSignedOut ? "signed out" : "signed in"))" }

    /// Nothing but the description.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
