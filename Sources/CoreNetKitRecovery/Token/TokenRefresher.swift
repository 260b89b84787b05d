public import CoreNetKitChain
public import CoreNetKitHTTP
import CoreNetKitSystem

/// Keeps the token of many calls, and renews it once for all of them.
///
/// Make one for each login and give it to a ``Client`` or a builder. While a refresh runs, every call waits for it,
/// new ones too. A call that is cancelled leaves the others alone; when the last one leaves, the refresh is cancelled.
/// A refresh that fails, fails all who wait. Never two run at once.
///
/// The refresh may use the same client: its own calls are sent without the token and wait for no limit.
public final class TokenRefresher: Sendable {
    /// Gets a new token; the current one is passed in, where there is one.
    public typealias Refresh = @Sendable (_ current: AccessToken?) async throws -> AccessToken

    private struct State: Sendable {
        var rules: TokenState<Waiter<TokenGrant>>
        var task: Task<Void, Never>?
        /// Why the last refresh failed.
        var failure: NetworkError?
        /// The fields of the token that was granted last, and its epoch.
        var fields: (epoch: Int, headers: Headers)?
    }

    private let state: Locked<State>
    private let refresh: Refresh
    private let fields: @Sendable (AccessToken) -> Headers
    private let refuses: @Sendable (NetworkError) -> Bool
    private let timeout: Duration
    /// What is wrong with the settings, on one line; every call then fails with `invalidChain`.
    public let problem: String?

    /// Creates a refresher.
    ///
    /// - Parameters:
    ///   - token: The token to begin with; `nil` gets one for the first call.
    ///   - margin: How long before it expires a token is renewed; not below zero.
    ///   - timeout: The longest time that a call waits for the refresh, above zero; its deadline may be earlier.
    ///   - fields: The header fields of a token, asked for once for each; `Authorization: Bearer …` by default.
    ///   - refuses: Which failures mean that the token does not work any more; status 401 by default.
    ///   - refresh: Gets a new token.
    public init(
        token: AccessToken? = nil,
        margin: Duration = .seconds(30),
        timeout: Duration = .seconds(30),
        fields: @escaping @Sendable (AccessToken) -> Headers = { ["Authorization": "Bearer \($0.value)"] },
        refuses: @escaping @Sendable (NetworkError) -> Bool = { $0.status == 401 },
        refresh: @escaping Refresh
    ) {
        state = Locked(State(rules: TokenState(token: token, margin: margin / .seconds(1))))
        self.timeout = timeout
        self.fields = fields
        self.refuses = refuses
        self.refresh = refresh
        if margin < .zero {
            problem = "the margin of \(margin) for tokens is below zero"
        } else {
            problem = timeout <= .zero ? "the timeout of \(timeout) for tokens is not above zero" : nil
        }
    }

    /// The token that calls are sent with, `nil` before the first refresh.
    public var token: AccessToken? { state.withLock { $0.rules.token } }

    /// How many calls wait for a refresh.
    public var callsWaiting: Int { state.withLock { $0.rules.waiting.count } }

    /// Replaces the token: after a login, or with `nil` after a logout.
    ///
    /// Who waits for a refresh goes on with the new token, or fails when there is none.
    public func set(_ token: AccessToken?) {
        let gone = Self.failure("the token was taken away while a call used it or waited for it")
        let (task, callers, grant) = state.withLock { state in
            let (callers, grant) = state.rules.set(token)
            if token == nil { state.failure = gone }
            return (state.task, callers, grant)
        }
        task?.cancel()
        for caller in callers { caller.resume(grant.map { .success($0) } ?? .failure(gone)) }
    }
}

extension TokenRefresher {
    /// Whether the running task is part of this refresher's own refresh.
    var isRefreshingHere: Bool { RefreshScope.current.contains(ObjectIdentifier(self)) }

    func authorize(_ request: inout TransportRequest, with grant: TokenGrant) {
        let known = state.withLock { $0.fields?.epoch == grant.epoch ? $0.fields?.headers : nil }
        if let known { return request.headers.merge(known) }
        let headers = fields(grant.token)
        state.withLock { $0.fields = (grant.epoch, headers) }
        request.headers.merge(headers)
    }

    func isRefusal(_ failure: NetworkError) -> Bool { refuses(failure) }

    /// Gives a token that is worth a try, waiting for a refresh where one is needed or runs.
    func grant(after refused: TokenGrant?, parts: ChainParts, context: RequestContext) async throws -> TokenGrant {
        let (admission, waiting, failure) = state.withLock { state in
            var waiting: Waiter<TokenGrant>?
            func caller() -> Waiter<TokenGrant> {
                let caller = Waiter<TokenGrant>()
                waiting = caller
                return caller
            }
            let admission = state.rules.request(after: refused, now: parts.date(), caller())
            // Under the lock, so that who leaves finds the task to cancel.
            if admission == .waits(starts: true) { state.task = start(parts) }
            return (admission, waiting, admission == .refused ? state.failure : nil)
        }
        let isLeading: Bool
        switch admission {
        case .granted(let grant): return grant
        case .refused: throw failure ?? Self.failure("the refresh of the token failed")
        case .waits(let starts): isLeading = starts
        }
        guard let caller = waiting else { throw Self.failure("the refresh of the token failed") }
        let patience = context.clock.now + timeout
        let limit = min(patience, context.deadline ?? patience)
        do {
            return try await context.waiting(for: .init(.token, ahead: max(callsWaiting - 1, 0), isLeading: isLeading))
            {
                try await caller.value(until: limit, on: context.clock) { [timeout] in
                    .failure(
                        limit < patience
                            ? Self.failure("the deadline passed while waiting for the token", .deadlineExceeded)
                            : Self.failure("the refresh of the token did not end within \(timeout)")
                    )
                }
            }
        } catch {
            leave(caller)
            throw error
        }
    }

    private func leave(_ caller: Waiter<TokenGrant>) {
        let task = state.withLock { $0.rules.leave(caller) ? $0.task : nil }
        task?.cancel()
    }

    private func start(_ parts: ChainParts) -> Task<Void, Never> {
        let scope = RefreshScope.current.union([ObjectIdentifier(self)])
        return Task.beside { [self] in
            let result = await RefreshScope.$current.withValue(scope) { await renewed() }
            finish(result, parts)
        }
    }

    private func renewed() async -> Result<AccessToken, NetworkError> {
        do {
            return .success(try await refresh(token))
        } catch {
            let reason = NetworkError.wrapping(error, stage: "TokenNode").map { "\($0)" } ?? "it was cancelled"
            return .failure(Self.failure("the refresh of the token failed: \(reason)", cause: error))
        }
    }

    private func finish(_ result: Result<AccessToken, NetworkError>, _ parts: ChainParts) {
        let (callers, answer) = state.withLock { state -> ([Waiter<TokenGrant>], Result<TokenGrant, any Error>) in
            switch state.rules.finish(try? result.get(), now: parts.date()) {
            case .restarts:
                state.task = start(parts)
                return ([], .failure(CancellationError()))
            case .answers(let callers, let grant):
                state.task = nil
                if case .failure(let failure) = result { state.failure = failure }
                let failure = state.failure ?? Self.failure("the refresh of the token failed")
                return (callers, grant.map { .success($0) } ?? .failure(failure))
            }
        }
        for caller in callers { caller.resume(answer) }
    }

    private static func failure(
        _ message: String,
        _ code: NetworkError.Code = .tokenRefreshFailed,
        cause: (any Error)? = nil
    ) -> NetworkError {
        NetworkError(code, message, stage: "TokenNode", cause: cause)
    }
}
