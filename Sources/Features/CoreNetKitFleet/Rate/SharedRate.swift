import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSystem

/// One process's view of a shared rate: tokens in hand, waiting callers, and one request to the store at a time.
///
/// The processes take turns, as ``RateRequestPlan`` describes.
final class SharedRate: RateSource {
    /// The result for a caller.
    enum Outcome: Sendable {
        /// The request may be sent at that time.
        case go(Duration)
        /// The request may not be sent within its deadline, or at all; with the wait, if known.
        case refused(wait: Duration?, String)
    }

    private struct Caller: Hashable, Sendable {
        let waiter = Waiter<Outcome>()
        /// Completes when the store has replied since the caller arrived.
        let storeReplied = Waiter<Void>()
        let deadline: Duration?

        /// Returns whether the caller was still waiting.
        func resume(_ outcome: Outcome) -> Bool {
            let counts = waiter.resume(.success(outcome))
            storeReplied.resume(.success(()))
            return counts
        }

        static func == (left: Caller, right: Caller) -> Bool { left.waiter == right.waiter }
        func hash(into hasher: inout Hasher) { hasher.combine(waiter) }
    }

    private struct State: Sendable {
        var reserve = TokenReserve()
        var queue = WaitQueue<Caller>()
        var plan = RateRequestPlan()
        var isRequesting = false
        /// Callers that wait for a reply of the store.
        var unanswered: [Caller] = []
        /// This process's share, while the store is unavailable.
        var share = BucketLevel()
        var isUnavailable = false
    }

    let settings: Settings
    let problem: String?
    private let store: any SharedStore
    private let events: @Sendable (FleetEvent) -> Void
    private let state = Locked(State())
    private let size: Int

    init(_ settings: Settings, _ store: any SharedStore, _ events: @escaping @Sendable (FleetEvent) -> Void) {
        (self.settings, self.store, self.events) = (settings, store, events)
        problem = settings.problem
        size = settings.size
    }

    func node(before next: Exchange, with parts: ChainParts) -> Exchange { SharedRateNode(next: next, rate: self) }

    /// Takes a token in hand: the time when it may be used.
    func takeReserved(at now: Duration) -> Duration? {
        state.withLock { $0.queue.isEmpty ? $0.reserve.take(at: now) : nil }
    }

    /// Returns a token that its caller does not use.
    func returnToken(_ ready: Duration, at now: Duration) {
        state.withLock { $0.reserve.keep(1, ready: ready, at: now) }
    }

    /// Waits for the store's reply and then for the token: recorded as two waits, because only the first is the
    /// store's; a cancelled wait takes no token.
    func acquire(_ context: RequestContext) async throws -> Outcome {
        let (clock, deadline) = (context.clock, context.deadline)
        let caller = Caller(deadline: deadline)
        let (early, asks, over) = state.withLock { state -> (Outcome?, Bool, Duration?) in
            let now = clock.now
            let over = state.plan.remainingWait(at: now)
            if let over, let deadline, deadline <= now + over { return (settings.refusal(wait: over), false, nil) }
            state.plan.addCaller(isFirst: state.queue.isEmpty, deadline: deadline)
            state.queue.append(caller)
            if over == nil { state.unanswered.append(caller) }
            defer { state.isRequesting = true }
            return (nil, !state.isRequesting, over)
        }
        if let early { return early }
        if asks { _ = Task.startSeparately { [self] in await requestTokens(clock) } }
        do {
            if over == nil { try await context.waiting(for: .init(.store)) { try await caller.storeReplied.value() } }
            if let outcome = caller.waiter.outcome { return try outcome.get() }
            return try await context.waiting(for: .init(.rate, planned: over)) { try await caller.waiter.value() }
        } catch {
            remove(caller, at: clock.now)
            throw error
        }
    }

    /// Removes a caller; a token that it has received meanwhile goes to another caller.
    private func remove(_ caller: Caller, at now: Duration) {
        _ = state.withLock { $0.queue.remove(caller) }
        guard !caller.waiter.resume(.failure(CancellationError())),
            case .success(.go(let ready)) = caller.waiter.outcome
        else { return }
        returnToken(ready, at: now)
    }

    // MARK: - Asking the store

    /// Asks the store for one place after the other, until no caller waits.
    private func requestTokens(_ clock: CallClock) async {
        var slept: Duration?
        while let tokenRequest = tokenRequest(at: clock.now) {
            if let time = tokenRequest.time, time != slept {
                try? await clock.sleep(until: time)
                slept = time
                continue
            }
            let due = slept ?? clock.now
            slept = nil
            do throws(SharedStoreError) {
                let bucket = settings.bucket(longestWait: tokenRequest.longestWait)
                let grant = try await store.takeTokens(tokenRequest.tokens, from: bucket)
                noteAvailable()
                received(grant, to: tokenRequest, due: due, at: clock.now)
            } catch {
                proceed(without: error, at: clock.now)
            }
        }
    }

    /// Serves callers with the tokens in hand and returns the next request; `nil` if no caller is left, which ends the loop.
    private func tokenRequest(at now: Duration) -> RateRequestPlan.TokenRequest? {
        let (outcomes, tokenRequest) = state.withLock { state -> ([(Caller, Outcome)], RateRequestPlan.TokenRequest?) in
            var outcomes: [(Caller, Outcome)] = []
            while let first = state.queue.first, let ready = state.reserve.take(at: now) {
                state.queue.remove(first)
                let isLate = first.deadline.map { $0 <= ready } ?? false
                if isLate { state.reserve.keep(1, ready: ready, at: now) }
                outcomes.append((first, isLate ? settings.refusal(wait: ready - now) : .go(ready)))
            }
            state.isRequesting = !state.queue.isEmpty
            guard state.isRequesting else {
                state.unanswered = []
                return (outcomes, nil)
            }
            let count = state.queue.count
            return (outcomes, state.plan.tokenRequest(for: count, size: size, burst: settings.burst, at: now))
        }
        deliver(outcomes, at: now)
        return tokenRequest
    }

    private func deliver(_ outcomes: [(Caller, Outcome)], at now: Duration) {
        for (caller, outcome) in outcomes {
            // The token of a cancelled caller goes to the next one.
            if !caller.resume(outcome), case .go(let ready) = outcome { returnToken(ready, at: now) }
        }
    }

    private func received(
        _ grant: SharedGrant,
        to tokenRequest: RateRequestPlan.TokenRequest,
        due: Duration,
        at now: Duration
    ) {
        let (late, answered) = state.withLock { state -> ([(Caller, Outcome)], [Caller]) in
            state.plan.received(grant, to: tokenRequest, due: due, at: now)
            if case .granted(let wait) = grant { state.reserve.keep(tokenRequest.tokens, ready: now + wait, at: now) }
            guard let over = state.plan.remainingWait(at: now) else { return ([], []) }
            let answered = state.unanswered
            state.unanswered = []
            guard state.plan.mayMissDeadline(at: now) else { return ([], answered) }
            let late = removeCallers(from: &state) { caller in caller.deadline.map { $0 <= now + over } ?? false }
            state.plan.keepDeadlines(state.queue.elements.lazy.map(\.deadline))
            return (late.map { ($0, settings.refusal(wait: over)) }, answered)
        }
        deliver(late, at: now)
        for caller in answered { caller.storeReplied.resume(.success(())) }
    }

    private func removeCallers(from state: inout State, where isLeaving: (Caller) -> Bool) -> [Caller] {
        let leaving = state.queue.elements.filter(isLeaving)
        for caller in leaving { state.queue.remove(caller) }
        return leaving
    }

    // MARK: - Without the store

    private func noteAvailable() { state.withLock { $0.isUnavailable = false } }

    /// Gives all waiting callers the result of the policy.
    private func proceed(without error: SharedStoreError, at now: Duration) {
        noteAway(error, at: now)
        let outcomes = state.withLock { state -> [(Caller, Outcome)] in
            state.plan.failed()
            state.unanswered = []
            return removeCallers(from: &state) { _ in true }.map {
                ($0, outcome(of: $0, without: error, at: now, &state))
            }
        }
        deliver(outcomes, at: now)
    }

    private func outcome(
        of caller: Caller,
        without error: SharedStoreError,
        at now: Duration,
        _ state: inout State
    ) -> Outcome {
        switch settings.failurePolicy {
        case .open: return .go(now)
        case .closed:
            let message = "the store of the rate is unavailable, so requests are refused: \(error)"
            return .refused(wait: error.retryAfter, message)
        case .localShare:
            let wait = caller.deadline.map { max(.zero, $0 - now) } ?? .forever
            let bucket = settings.share(longestWait: wait)
            switch state.share.take(1, of: bucket, at: now.wholeMicroseconds) {
            case .granted(let wait): return .go(now + wait)
            case .refused(let wait): return settings.refusal(wait: wait)
            }
        }
    }

    private func noteAway(_ error: SharedStoreError, at now: Duration) {
        let isNew = state.withLock { state in
            defer { state.isUnavailable = true }
            guard !state.isUnavailable else { return false }
            // The share starts empty, because the store has granted the saved tokens. Earlier use of the share still counts.
            let empty = BucketLevel(fullAt: (now + settings.shareRoom).wholeMicroseconds)
            if state.share.fullAt < empty.fullAt { state.share = empty }
            return true
        }
        guard isNew else { return }
        let message = "the rate '\(settings.name)' is kept as \(settings.failurePolicy)"
        events(FleetEvent(.rate, .fallback, message, cause: error))
    }

    /// Counts a request in a dry run.
    func countDryRun(_ clock: CallClock) {
        _ = Task.startSeparately { [self] in
            do throws(SharedStoreError) {
                let grant = try await store.takeTokens(1, from: settings.bucket(longestWait: .zero))
                noteAvailable()
                guard case .refused(let wait) = grant else { return }
                let message = "the rate '\(settings.name)' would have delayed a request by \(wait)"
                events(FleetEvent(.rate, .overLimit, message))
            } catch {
                noteAway(error, at: clock.now)
            }
        }
    }
}

/// Sends requests no faster than a rate that several processes share.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. It is inside retry and hedging, because the
/// server counts every attempt.
struct SharedRateNode: PolicyNode {
    static let position = ChainPosition.rate

    let next: Exchange
    let rate: SharedRate

    /// Throws `rateLimited` at once when the request's time comes after the deadline, or errors of next.
    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        if rate.settings.isDryRun { rate.countDryRun(context.clock) } else { try await wait(context) }
        return try await next.process(input, context: context)
    }

    private func wait(_ context: RequestContext) async throws {
        let clock = context.clock
        let now = clock.now
        if let time = rate.takeReserved(at: now) {
            guard time > now else { return }
            return try await wait(until: time, now, context)
        }
        switch try await rate.acquire(context) {
        case .go(let time): if time > clock.now { try await wait(until: time, clock.now, context) }
        case .refused(let wait, let why): throw failure(why, after: wait)
        }
    }

    private func wait(until time: Duration, _ now: Duration, _ context: RequestContext) async throws {
        if let deadline = context.deadline, time >= deadline {
            rate.returnToken(time, at: now)
            throw failure("the rate allows the next request only after the deadline", after: time - now)
        }
        do {
            try await context.waiting(for: .init(.rate, planned: time - now)) {
                try await context.clock.sleep(until: time)
            }
        } catch {
            rate.returnToken(time, at: context.clock.now)
            throw error
        }
    }

    private func failure(_ message: String, after wait: Duration?) -> NetworkError {
        .queued(.rateLimited, message, node: id, retryAfter: wait)
    }
}
