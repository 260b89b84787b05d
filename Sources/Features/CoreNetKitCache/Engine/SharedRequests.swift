import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// The requests in flight in this process, by resource: a concurrent miss gets the response of the first request.
final class SharedRequests: Sendable {
    enum Outcome: Sendable {
        /// With a response that other calls may use, as far as its fields allow.
        case record(CacheRecord)
        /// With a response for its own caller.
        case own
        /// Without one.
        case failed
    }

    final class Request: Sendable {
        /// The invalidation generations when it began; `nil` if the storage did not respond.
        fileprivate let generations: CacheGenerations?
        private let state = Locked((outcome: Outcome?.none, callers: [Waiter<Outcome?>]()))

        fileprivate init(_ generations: CacheGenerations?) { self.generations = generations }

        fileprivate var callsWaiting: Int { state.withLock { $0.callers.count } }

        /// Waits for its end; `nil` on a timeout.
        func outcome(until end: Duration, on clock: CallClock) async throws -> Outcome? {
            let caller = Waiter<Outcome?>()
            let known = state.withLock { state in
                if state.outcome == nil { state.callers.append(caller) }
                return state.outcome
            }
            if let known { return known }
            return try await caller.value(until: end, on: clock) { .success(nil) }
        }

        fileprivate func complete(_ outcome: Outcome) {
            let callers = state.withLock { state in
                state.outcome = outcome
                defer { state.callers = [] }
                return state.callers
            }
            for caller in callers { caller.resume(.success(outcome)) }
        }
    }

    private let requests = Locked<[CacheKey: Request]>([:])
    private let retention: Duration
    private let clock: CallClock

    /// A response is kept for `retention`, for calls that are still waiting for a storage that does not respond.
    init(retaining retention: Duration, on clock: CallClock) { (self.retention, self.clock) = (retention, clock) }

    var callsWaiting: Int { requests.withLock { $0.values.reduce(0) { $0 + $1.callsWaiting } } }

    /// Joins the request for a resource, or starts it, and then has to end it.
    ///
    /// By the generations of its look-up a caller gets no response from before an invalidation.
    func join(_ key: CacheKey, _ generations: CacheGenerations?) -> (request: Request, isFirst: Bool) {
        requests.withLock { requests in
            if let request = requests[key],
                request.generations == nil || generations == nil || request.generations == generations
            {
                return (request, false)
            }
            let request = Request(generations)
            requests[key] = request
            return (request, true)
        }
    }

    func complete(_ request: Request, _ key: CacheKey, _ outcome: Outcome) {
        request.complete(outcome)
        guard case .record = outcome else { return drop(request, key) }
        Task.apart { [self] in
            try? await clock.sleep(until: clock.time(after: retention))
            drop(request, key)
        }
    }

    private func drop(_ request: Request, _ key: CacheKey) {
        requests.withLock { if $0[key] === request { $0[key] = nil } }
    }

    /// Called after an invalidation or a removal: the responses of current requests may be older.
    func close() { requests.withLock { if !$0.isEmpty { $0 = [:] } } }
}

extension CacheExchange {
    /// Performs the exchange, or waits up to `missTimeout` for a concurrent one, with leases also of another process.
    func run(in context: RequestContext) async throws -> CachedResponse {
        let clock = engine.clock
        guard engine.missTimeout > .zero, finding.isMissed, request.method == .get, case .collect = request.delivery
        else { return try await run() }
        let timeoutEnd = clock.time(after: engine.missTimeout)
        let end = min(timeoutEnd, engine.deadline(of: context) ?? timeoutEnd)
        let key = engine.key(of: request.url, in: scope)
        while true {
            let (shared, isFirst) = engine.vault.sharedRequests.join(key, finding.record?.generations)
            if isFirst { return try await lead(shared, key, context, until: end) }
            let sharedOutcome = try await context.waiting(for: .init(.shared)) {
                try await shared.outcome(until: end, on: clock)
            }
            switch sharedOutcome {
            case .record(let record):
                guard let found = use(of: record) else { return try await run() }
                return try await continuing(after: found).run()
            case .failed where clock.now < end: continue
            case .own, .failed, nil: return try await run()
            }
        }
    }

    /// How this call uses the response of another one; `nil` if its own rules do not allow it.
    private func use(of record: CacheRecord) -> CacheFinding? {
        let (lookup, time) = (engine.lookup(request, scope, acceptsStale: false), engine.now())
        let decision = decide(lookup.facts, stored: record, now: time)
        return decision.usedIndex == nil ? nil : engine.finding(lookup, record, decision, at: time)
    }

    private func lead(
        _ own: SharedRequests.Request,
        _ key: CacheKey,
        _ context: RequestContext,
        until end: Duration
    ) async throws -> CachedResponse {
        let began = engine.now()
        var sharedOutcome = SharedRequests.Outcome.failed
        var leased: CacheKey?
        let outcome: Result<CachedResponse, any Error>
        do {
            let lease = try await awaitLease(context, until: end)
            if lease.isLeading { leased = lease.finding.key }
            let leading = continuing(after: lease.finding)
            let result = try await leading.run()
            sharedOutcome = leading.sharedOutcome(result, requestTime: began)
            // A response that its own request cannot reuse is not shared.
            if case .record(let record) = sharedOutcome, use(of: record) == nil { sharedOutcome = .own }
            outcome = .success(result)
        } catch {
            outcome = .failure(error)
        }
        engine.vault.sharedRequests.complete(own, key, sharedOutcome)
        if let leased { await engine.vault.within(engine.deadline(of: context)).endLease(leased) }
        return try outcome.get()
    }

    /// Waits while another process requests the same resource; if this one leads, it must end its lease.
    private func awaitLease(
        _ context: RequestContext,
        until end: Duration
    ) async throws -> (finding: CacheFinding, isLeading: Bool) {
        let (clock, vault) = (engine.clock, engine.vault.within(engine.deadline(of: context)))
        var (finding, isHeld) = (finding, false)
        var pause = Duration.milliseconds(2)
        while true {
            let key = finding.key
            // The leader looks up, too: another process may have finished between its look-up and the lease.
            let (isLeading, found) = await context.waiting(for: .init(.store)) {
                (
                    await vault.lease(key, for: engine.missTimeout, isHeld: isHeld),
                    await engine.find(request, scope, acceptsStale: false)
                )
            }
            (finding, isHeld) = (found, !isLeading)
            guard !isLeading, finding.isMissed, clock.now < end else { return (finding, isLeading) }
            let wake = min(end, clock.time(after: pause))
            try await context.waiting(for: .init(.shared)) { try await clock.sleep(until: wake) }
            pause = min(pause * 2, .milliseconds(50))
        }
    }
}

extension CacheFinding {
    /// Whether another process may store a usable response meanwhile.
    fileprivate var isMissed: Bool {
        let reasons: [CacheReason.Code] = [.nothing, .noVariant, .vanished, .stale, .mustRevalidate, .invalidated]
        switch decision.action {
        case .forward, .validate: return reasons.contains(decision.reason)
        case .use, .useStale, .complete, .refuse: return false
        }
    }
}
