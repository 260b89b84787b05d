import CoreNetKitChain
import CoreNetKitHTTP

/// The outcome of the wait for other processes with the same miss.
struct CacheFlight: Sendable {
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
            let (flight, isFirst) = vault.flights.board(key, finding.record?.counters)
            if isFirst { return try await lead(flight, key, alone, context, until: end) }
            let landing = try await context.waiting(for: .init(.shared)) {
                try await flight.landing(until: end, on: clock)
            }
            switch landing {
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
        _ own: CacheFlights.Flight,
        _ key: CacheKey,
        _ exchange: CacheExchange,
        _ context: RequestContext,
        until end: Duration
    ) async throws -> CachedResponse {
        let began = now()
        var landing = CacheFlights.Landing.failed
        var leased: CacheKey?
        let outcome: Result<CachedResponse, any Error>
        do {
            let flight = try await flight(exchange.finding, exchange.request, exchange.scope, context, until: end)
            if flight.isLeading { leased = flight.finding.key }
            let leading = exchange.continuing(after: flight.finding)
            let result = try await leading.run()
            landing = leading.landing(result, requested: began)
            // A response that its own request cannot reuse is not shared.
            if case .record(let record) = landing, use(of: record, exchange.request, exchange.scope) == nil {
                landing = .own
            }
            outcome = .success(result)
        } catch {
            outcome = .failure(error)
        }
        vault.flights.land(own, key, landing)
        if let leased { await vault.within(deadline(of: context)).endLease(leased) }
        return try outcome.get()
    }

    /// Waits for the process that requests the same resource, if the storage supports leases.
    private func flight(
        _ finding: CacheFinding,
        _ request: TransportRequest,
        _ scope: CacheScope,
        _ context: RequestContext,
        until end: Duration
    ) async throws -> CacheFlight {
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
                return CacheFlight(finding: finding, isLeading: isLeading)
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
