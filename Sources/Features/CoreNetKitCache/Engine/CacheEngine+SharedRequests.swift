import CoreNetKitChain
import CoreNetKitHTTP

/// The outcome of the wait for other processes with the same miss.
struct LeaseOutcome: Sendable {
    /// What the last look-up found.
    let finding: CacheFinding
    /// Whether this process requests on behalf of all, and must end its lease.
    let isLeading: Bool
}

extension CacheEngine {
    /// Performs an exchange, or uses the response of a concurrent one in this process or, if the storage supports leases, in
    /// another.
    ///
    /// Waiting never fails a call: after `missTimeout` it sends its own request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - scope: The scope of look-ups and storing.
    ///   - context: The data of this call: its deadline, and the record of its waits.
    ///   - finding: The result of the look-up.
    ///   - send: Sends a request.
    /// - Returns: The response.
    /// - Throws: The error of `send`, `CancellationError`.
    func exchange(
        _ request: TransportRequest,
        _ scope: CacheScope,
        _ context: RequestContext,
        after finding: CacheFinding,
        send: @escaping CacheExchange.Send
    ) async throws -> CachedResponse {
        let alone = CacheExchange(self, request, scope, after: finding, send: send)
        guard missTimeout > .zero, finding.isMissed, request.method == .get, case .collect = request.delivery else {
            return try await alone.run()
        }
        let timeoutEnd = clock.time(after: missTimeout)
        let end = min(timeoutEnd, deadline(of: context) ?? timeoutEnd)
        let key = key(of: request.url, in: scope)
        while true {
            let (shared, isFirst) = vault.sharedRequests.join(key, finding.record?.counters)
            if isFirst { return try await lead(shared, key, alone, context, until: end) }
            let sharedOutcome = try await context.waiting(for: .init(.shared)) {
                try await shared.outcome(until: end, on: clock)
            }
            switch sharedOutcome {
            case .record(let record):
                guard let found = use(of: record, request, scope) else { return try await alone.run() }
                return try await CacheExchange(self, request, scope, after: found, send: send).run()
            case .failed where clock.now < end: continue
            case .own, .failed, nil: return try await alone.run()
            }
        }
    }

    /// How a call uses the response of another one; `nil` if its own rules do not allow it.
    private func use(of record: CacheRecord, _ request: TransportRequest, _ scope: CacheScope) -> CacheFinding? {
        let (lookup, time) = (lookup(request, scope, acceptsStale: false), now())
        let decision = decide(lookup.facts, stored: record, now: time)
        return decision.usedIndex == nil ? nil : finding(lookup, record, decision, at: time)
    }

    /// Performs the exchange for which other calls of this process wait.
    private func lead(
        _ own: SharedRequests.Request,
        _ key: CacheKey,
        _ exchange: CacheExchange,
        _ context: RequestContext,
        until end: Duration
    ) async throws -> CachedResponse {
        let began = now()
        var sharedOutcome = SharedRequests.Outcome.failed
        var leased: CacheKey?
        let outcome: Result<CachedResponse, any Error>
        do {
            let lease = try await awaitLease(exchange.finding, exchange.request, exchange.scope, context, until: end)
            if lease.isLeading { leased = lease.finding.key }
            let leading = exchange.continuing(after: lease.finding)
            let result = try await leading.run()
            sharedOutcome = leading.sharedOutcome(result, requested: began)
            // A response that its own request cannot reuse is not shared.
            if case .record(let record) = sharedOutcome, use(of: record, exchange.request, exchange.scope) == nil {
                sharedOutcome = .own
            }
            outcome = .success(result)
        } catch {
            outcome = .failure(error)
        }
        vault.sharedRequests.complete(own, key, sharedOutcome)
        if let leased { await vault.within(deadline(of: context)).endLease(leased) }
        return try outcome.get()
    }

    /// Waits for the process that requests the same resource, if the storage supports leases.
    private func awaitLease(
        _ finding: CacheFinding,
        _ request: TransportRequest,
        _ scope: CacheScope,
        _ context: RequestContext,
        until end: Duration
    ) async throws -> LeaseOutcome {
        let vault = vault.within(deadline(of: context))
        var (finding, isHeld) = (finding, false)
        var pause = Duration.milliseconds(2)
        while true {
            let key = finding.key
            // The leader looks up, too: another process may have finished between its look-up and the lease.
            let (isLeading, found) = await context.waiting(for: .init(.store)) {
                (
                    await vault.lease(key, for: missTimeout, isHeld: isHeld),
                    await find(request, scope, acceptsStale: false)
                )
            }
            (finding, isHeld) = (found, !isLeading)
            guard !isLeading, finding.isMissed, clock.now < end else {
                return LeaseOutcome(finding: finding, isLeading: isLeading)
            }
            let wake = min(end, clock.time(after: pause))
            try await context.waiting(for: .init(.shared)) { try await clock.sleep(until: wake) }
            pause = min(pause * 2, .milliseconds(50))
        }
    }
}

extension CacheFinding {
    /// Whether another process may store a usable response meanwhile.
    fileprivate var isMissed: Bool {
        let reasons: [CacheReason] = [.nothing, .noVariant, .vanished, .stale, .mustRevalidate, .invalidated]
        switch decision.action {
        case .forward, .validate: return reasons.contains(decision.reason)
        case .use, .useStale, .complete, .refuse: return false
        }
    }
}
