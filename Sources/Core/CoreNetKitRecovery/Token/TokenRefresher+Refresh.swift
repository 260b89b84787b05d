import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension TokenRefresher {
    var isRefreshingHere: Bool { CallUser.refreshers.contains(ObjectIdentifier(self)) }

    /// The fields of a granted token, and the names of all fields in which tokens were sent so far: they are removed before
    /// a request goes to another origin.
    func fields(of grant: TokenGrant) -> (headers: Headers, names: [String]) {
        let known = state.withLock { $0.known(grant) }
        if let known { return known }
        let headers = fields(grant.token)
        return state.withLock { state in
            state.fields = (grant.epoch, headers)
            for field in headers where !state.fieldNames.contains(where: { Headers.matches($0, field.name) }) {
                state.fieldNames.append(field.name)
            }
            return (headers, state.fieldNames)
        }
    }

    /// Whether a server rejected the token: one of the token's origins, not the target of a redirect.
    func isRefusal(_ failure: NetworkError) -> Bool {
        if let refusal = failure.refusal, !authorizes(refusal.url) { return false }
        return refuses(failure)
    }

    /// A valid token, if there is one without a wait, for the fast path of nearly every call, under one lock: with its
    /// session, and if it was sent before, its fields and the names of all fields in which tokens were sent.
    func ready(
        _ now: () -> Date
    ) -> (grant: TokenGrant, session: Partition.Session, fields: (headers: Headers, names: [String])?)? {
        state.withLock { state in
            state.rules.ready(now: now()).map { ($0, state.session, state.known($0)) }
        }
    }

    /// Returns a token to try, after waiting for a refresh if one is needed or running.
    func grant(
        after rejected: TokenGrant?,
        clock: CallClock,
        now: @escaping @Sendable () -> Date,
        context: RequestContext
    ) async throws -> TokenGrant {
        let (admission, failure) = state.withLock { state in
            let isPauseOver = state.isPauseOver
            let admission = state.rules.request(after: rejected, now: now(), isPauseOver: isPauseOver(), Waiter())
            if case .waits(_, starts: true) = admission { startRefresh(&state, clock, now, for: context) }
            return (admission, admission == .refused ? state.failure : nil)
        }
        switch admission {
        case .granted(let grant): return grant
        case .refused: throw failure ?? Self.failure("the refresh of the token failed")
        case .signedOut: throw Self.signedOut
        case .waits(let caller, let isLeading):
            let place = CallEvent.Wait(.token, ahead: max(callsWaiting - 1, 0), isLeading: isLeading)
            return try await context.waiting(for: place) { try await wait(caller, until: context.deadline, clock) }
        }
    }

    /// Starts a refresh for later calls, after the token was rejected for a call that cannot be sent again.
    func renew(after rejected: TokenGrant, clock: CallClock, now: @escaping @Sendable () -> Date) {
        state.withLock { state in
            let isPauseOver = state.isPauseOver
            if state.rules.reject(rejected, isPauseOver: isPauseOver()) { startRefresh(&state, clock, now) }
        }
    }

    private func wait(_ caller: Waiter<TokenGrant>, until deadline: Duration?, _ clock: CallClock) async throws
        -> TokenGrant
    {
        endIfOverdue()
        let timeoutEnd = clock.now + timeout
        let limit = min(timeoutEnd, deadline ?? timeoutEnd)
        do {
            return try await caller.value(until: limit, on: clock) { [timeout] in
                .failure(
                    limit < timeoutEnd
                        ? Self.failure("the deadline passed while waiting for the token", .deadlineExceeded)
                        : Self.late(timeout)
                )
            }
        } catch {
            state.withLock { $0.rules.leave(caller) }
            endIfOverdue()
            throw error
        }
    }

    // MARK: - The refresh

    /// Called under the lock, so that the next caller finds the task.
    private func startRefresh(
        _ state: inout State,
        _ clock: CallClock,
        _ now: @escaping @Sendable () -> Date,
        for context: RequestContext? = nil
    ) {
        let leader = sharing == nil ? nil : context
        let scope = CallUser.refreshers.union([ObjectIdentifier(self)])
        let limit = clock.now + timeout
        state.isOverdue = { clock.now >= limit }
        state.task = Task.startSeparately { [self] in
            let result = await CallDeadline.outside {
                await CallUser.$refreshers.withValue(scope) {
                    await Self.$leader.withValue(leader ?? Self.leader) { await performRefresh(now) }
                }
            }
            finish(result, clock, now)
        }
    }

    /// Cancels an overdue refresh; it has its own timeout, because no caller's deadline or cancellation applies to it.
    private func endIfOverdue() {
        let task = state.withLock { $0.rules.isRefreshing && $0.isOverdue() ? $0.task : nil }
        if sharing?.isSending != true { task?.cancel() }
    }

    private func performRefresh(_ now: @escaping @Sendable () -> Date) async -> Result<HeldCredential, NetworkError> {
        let (current, unsaved, session) = state.withLock { ($0.rules.held?.credential, $0.rules.unsaved, $0.session) }
        var isSaving = false
        do {
            let renewed =
                if let unsaved { unsaved } else { HeldCredential(try await self.renew(current, in: session, now)) }
            if save != nil {
                isSaving = true
                try await saveInOrder(renewed) { $0.rules.receive(renewed) }
            }
            return .success(renewed)
        } catch {
            guard let reason = NetworkError.wrapping(error, node: .token) else {
                let isOverdue = state.withLock { $0.isOverdue() }
                return .failure(isOverdue ? Self.late(timeout) : Self.failure("the refresh was cancelled"))
            }
            // A missing setting is not a failure of the server.
            guard reason.code != .invalidChain else { return .failure(reason) }
            let step = isSaving ? "the new token could not be saved" : "the refresh of the token failed"
            var failure = Self.failure("\(step): \(reason)", cause: error)
            failure.isRetryable = reason.isRetryable
            failure.retryAfter = reason.retryAfter
            return .failure(failure)
        }
    }

    private func finish(
        _ result: Result<HeldCredential, NetworkError>,
        _ clock: CallClock,
        _ now: @escaping @Sendable () -> Date
    ) {
        typealias Reply = Result<TokenGrant, any Error>
        let (callers, watchers, reply) = state.withLock { state -> ([Waiter<TokenGrant>], [Waiter<Void>], Reply) in
            let pause = pause(after: result, isSaved: state.rules.unsaved == nil, now)
            let pauseEnd = clock.time(after: pause)
            state.isPauseOver = { clock.now >= pauseEnd }
            switch state.rules.finish(try? result.get(), now: now(), pauses: pause > .zero) {
            case .restarts:
                startRefresh(&state, clock, now)
                return ([], [], .failure(CancellationError()))
            case .replies(let callers, let grant):
                state.task = nil
                if case .failure(let failure) = result { state.failure = failure }
                let failure = state.failure ?? Self.failure("the refresh of the token failed")
                return (callers, state.idleWatchers(), grant.map { .success($0) } ?? .failure(failure))
            }
        }
        for caller in callers { caller.resume(reply) }
        for watcher in watchers { watcher.resume(.success(())) }
    }

    private func pause(
        after result: Result<HeldCredential, NetworkError>,
        isSaved: Bool,
        _ now: @escaping @Sendable () -> Date
    ) -> Duration {
        // The credential exists, and only saving it remains, which needs no server.
        guard case .failure(let failure) = result, isSaved else { return .zero }
        let headers = (failure.cause as? NetworkError)?.refusal?.headers
        let requested = failure.retryAfter ?? headers.flatMap { RetryAfter.wait(of: $0, now: now) } ?? .zero
        return failure.isRetryable ? requested : max(requested, coolDown)
    }

    // MARK: - Errors

    static let signedOut = failure("there is no login: the token was removed")

    /// A timeout is transient, like one of the wire.
    private static func late(_ timeout: Duration) -> NetworkError {
        var failure = failure("the refresh of the token did not end within \(timeout)")
        failure.isRetryable = true
        return failure
    }

    static func failure(
        _ message: String,
        _ code: NetworkError.Code = .tokenRefreshFailed,
        cause: (any Error)? = nil
    ) -> NetworkError {
        var failure = NetworkError(code, message, node: .token, cause: cause)
        // The request was not sent, or was rejected because of its token.
        failure.isSafeToResend = true
        return failure
    }
}
