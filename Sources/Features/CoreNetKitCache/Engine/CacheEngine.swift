package import CoreNetKitChain
package import CoreNetKitSystem

package import CoreNetKitHTTP

package import CoreNetKitEssentials

/// Executes decisions on one storage: looks up, responds, stores, updates, invalidates.
///
/// Both nodes use it.
package final class CacheEngine: Sendable {
    package let vault: CacheVault
    package let now: @Sendable () -> CacheTime
    package let clock: CallClock
    /// How long a miss waits for another process; zero disables the wait.
    let missPatience: Duration
    /// When a fresh response is validated early.
    let early: EarlyRefresh
    /// Responses that were stored after they were delivered: streams, at their end.
    package let storedLate = Locked(0)
    /// Which URLs are equivalent to others.
    let search = SearchIndex()
    /// How often servers have asked to clear their origin.
    let clears = Locked<UInt64>(0)

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - storage: The storage of responses.
    ///   - secret: The storage of responses that must not leave the process.
    ///   - patience: The timeout of a call of the storage.
    ///   - missPatience: How long a miss waits for another process with the same request.
    ///   - early: When a fresh response is validated early; never, by default.
    ///   - clock: The clock for these times.
    ///   - now: The time, read at each step.
    package init(
        storage: any CacheStorage,
        secret: MemoryStorage? = MemoryStorage(limit: 2 << 20),
        patience: Duration = .seconds(1),
        missPatience: Duration = .zero,
        early: EarlyRefresh = EarlyRefresh(0),
        clock: CallClock = .continuous,
        now: @escaping @Sendable () -> CacheTime
    ) {
        vault = CacheVault(storage, secret: secret, patience: CachePatience(patience, on: clock))
        self.clock = clock
        self.early = early
        self.missPatience = missPatience.bounded
        self.now = now
    }

    /// The main storage.
    package var storage: any CacheStorage { vault.open }

    /// The deadline of a call by the clock of the cache, which may differ from that of the call.
    func deadline(of context: RequestContext) -> Duration? {
        context.deadline.map { clock.time(after: max(.zero, $0 - context.clock.now)) }
    }

    /// Looks a request up and decides.
    ///
    /// - Parameters:
    ///   - request: The request, with the fields that are known here.
    ///   - scope: The scope of the look-up.
    ///   - acceptsStale: Whether a permitted stale response may be used; the node at the wire validates it instead.
    /// - Returns: The finding.
    package func find(_ request: TransportRequest, _ scope: CacheScope, acceptsStale: Bool) async -> CacheFinding {
        let inquiry = inquiry(request, scope, acceptsStale: acceptsStale)
        // Read before the record: a response must not be stored over a later mark or clearing.
        let (cleared, counter) = (clears.withLock { $0 }, acceptsStale ? nil : vault.pathCounter(of: inquiry.key))
        var finding: CacheFinding
        if let known = findNow(inquiry) { finding = known } else { finding = await find(inquiry) }
        (finding.clears, finding.pathCounter) = (cleared, counter)
        return finding
    }

    /// The same, without stored responses of other URLs.
    package func findOwn(_ request: TransportRequest, _ scope: CacheScope) async -> CacheFinding {
        let inquiry = inquiry(request, scope, acceptsStale: false)
        let cleared = clears.withLock { $0 }
        var finding = await findOwn(inquiry)
        finding.clears = cleared
        return finding
    }

    /// What to look up for a request, and the facts to decide by.
    package func inquiry(_ request: TransportRequest, _ scope: CacheScope, acceptsStale: Bool) -> CacheInquiry {
        let key = key(of: request.url, in: scope)
        var question = CacheQuestion(method: request.method, headers: request.headers, mode: scope.mode)
        question.acceptsStale = acceptsStale
        if question.mode.kind == .revalidate { question.isSecure = key.isSecure }
        // The response to a GET with content depends on that content: it is not cached.
        if !request.body.isEmpty && question.isLookedUp && !question.isLocal { question.mode.kind = .off }
        return CacheInquiry(key: key, question: question, deadline: scope.deadline)
    }

    /// Decides without waiting if nothing has to be looked up, or the storage has the record in memory.
    package func findNow(_ inquiry: CacheInquiry) -> CacheFinding? {
        let question = inquiry.question
        var record: CacheRecord?
        if question.isLookedUp {
            guard let known = vault.peek(inquiry.key) else { return nil }
            if known.variants.isEmpty, !search.isEmpty { return nil }
            record = known
        }
        let time = now()
        let decision = decide(question, stored: record, now: time)
        if let index = decision.usedIndex, let record, !record.variants[index].facts.groups.isEmpty,
            record.variants[index].counters.anyGroup != record.counters.anyGroup
        {
            return nil
        }
        return finding(inquiry, record, decision, at: time)
    }

    func finding(
        _ inquiry: CacheInquiry,
        _ record: CacheRecord?,
        _ decision: CacheDecision,
        at time: CacheTime
    ) -> CacheFinding {
        var finding = CacheFinding(key: inquiry.key, record: record, decision: decision, time: time)
        finding.deadline = inquiry.deadline
        if early.isOn, inquiry.question.acceptsStale, !inquiry.question.isLocal {
            finding.isDueEarly = early.isDue(finding)
        }
        return finding
    }

    /// Looks up and decides.
    package func find(_ inquiry: CacheInquiry) async -> CacheFinding {
        let finding = await findOwn(inquiry)
        guard inquiry.question.isLookedUp, finding.record?.variants.isEmpty == true else { return finding }
        return await equivalent(inquiry) ?? finding
    }

    /// Looks up under the request's own URL and decides.
    func findOwn(_ inquiry: CacheInquiry) async -> CacheFinding {
        let vault = vault.within(inquiry.deadline)
        var record = await vault.record(for: inquiry.key)
        let time = now()
        var decision = decide(inquiry.question, stored: record, now: time)
        // RFC 9875: a member of a group that was marked since its exchange began must be validated, too.
        if let index = decision.usedIndex, let found = record, await isInMarkedGroup(index, found, inquiry.key, vault) {
            record?.variants[index].distrust(at: found.counters)
            decision = decide(inquiry.question, stored: record, now: time)
        }
        return finding(inquiry, record, decision, at: time)
    }

    private func isInMarkedGroup(_ index: Int, _ record: CacheRecord, _ key: CacheKey, _ vault: CacheVault) async
        -> Bool
    {
        let variant = record.variants[index]
        guard !variant.facts.groups.isEmpty else { return false }
        if variant.counters.anyGroup == record.counters.anyGroup, !vault.hasPending { return false }
        return await vault.groups(variant.facts.groups.map { key.slot(ofGroup: $0) }, key) != variant.groups
    }

    /// Marks the stored responses of some URLs and groups for validation, for all users (RFC 9111, 4.4; RFC 9875).
    ///
    /// - Parameters:
    ///   - urls: The URLs.
    ///   - groups: Groups of the first URL's origin.
    ///   - scope: The scope of the request; decides only whether the URLs may be written down.
    package func invalidate(_ urls: [URL], groups: [String] = [], in scope: CacheScope) async {
        let keys = urls.map { key(of: $0, in: scope) }
        let slots = keys.first.map { key in groups.map { key.slot(ofGroup: $0) } } ?? []
        // The path's own key, too: a stored response of another query may be equivalent to one of these.
        await vault.within(scope.deadline).mark(CacheMark(keys + keys.map(\.path), groups: slots))
    }

    /// Marks the members of a group of a URL's origin for validation.
    package func invalidate(group: String, of url: URL) async {
        await vault.mark(CacheMark(groups: [key(of: url, in: CacheScope()).slot(ofGroup: group)]))
    }

    package func key(of url: URL, in scope: CacheScope) -> CacheKey {
        CacheKey(
            url: url,
            partition: scope.partition,
            caller: scope.caller,
            isPersistent: scope.isPersistent,
            by: scope.secrets
        )
    }
}
