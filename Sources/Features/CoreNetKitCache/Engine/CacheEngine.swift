package import CoreNetKitChain
package import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// Executes decisions on one storage: looks up, responds, stores, updates, invalidates.
package final class CacheEngine: Sendable {
    package let vault: CacheVault
    package let now: @Sendable () -> CacheTime
    package let clock: CallClock
    /// How long a miss waits for another process; zero disables the wait.
    let missTimeout: Duration
    let early: EarlyRefresh
    let counts = Locked(CacheCounts())
    let search = SearchIndex()
    /// How often servers have asked to clear their origin.
    let clearedOriginCount = Locked<UInt64>(0)

    package init(
        storage: any CacheStorage,
        secret: MemoryStorage? = MemoryStorage(limit: 2 << 20),
        timeout: Duration = .seconds(1),
        missTimeout: Duration = .zero,
        early: EarlyRefresh = EarlyRefresh(0),
        clock: CallClock = .continuous,
        now: @escaping @Sendable () -> CacheTime
    ) {
        vault = CacheVault(storage, secret: secret, timeout: StorageTimeout(timeout, on: clock))
        self.clock = clock
        self.early = early
        self.missTimeout = missTimeout.bounded
        self.now = now
    }

    /// The deadline of a call by the clock of the cache, which may differ from that of the call.
    func deadline(of context: RequestContext) -> Duration? {
        context.deadline.map { clock.time(after: max(.zero, $0 - context.clock.now)) }
    }

    /// Looks a request up and decides; the node at the wire does not accept stale responses, but validates them.
    package func find(_ request: TransportRequest, _ scope: CacheScope, acceptsStale: Bool) async -> CacheFinding {
        let lookup = lookup(request, scope, acceptsStale: acceptsStale)
        // Read before the record: a response must not be stored over a later invalidation or clearing.
        let (cleared, generation) = (
            clearedOriginCount.withLock { $0 }, acceptsStale ? nil : vault.pathGeneration(of: lookup.key)
        )
        var finding: CacheFinding
        if let known = findNow(lookup) { finding = known } else { finding = await find(lookup) }
        (finding.clearedOriginCount, finding.pathGeneration) = (cleared, generation)
        return finding
    }

    /// The same, without stored responses of other URLs.
    func findExact(_ request: TransportRequest, _ scope: CacheScope) async -> CacheFinding {
        let cleared = clearedOriginCount.withLock { $0 }
        var finding = await findExact(lookup(request, scope, acceptsStale: false))
        finding.clearedOriginCount = cleared
        return finding
    }

    package func lookup(_ request: TransportRequest, _ scope: CacheScope, acceptsStale: Bool) -> CacheLookup {
        let key = key(of: request.url, in: scope)
        var facts = CacheRequestFacts(method: request.method, headers: request.headers, mode: scope.mode)
        facts.acceptsStale = acceptsStale
        if facts.mode.kind == .revalidate { facts.isSecure = key.isSecure }
        // The response to a GET with content depends on that content: it is not cached.
        if !request.body.isEmpty && facts.isLookedUp && !facts.isLocal { facts.mode.kind = .off }
        return CacheLookup(key: key, facts: facts, deadline: scope.deadline)
    }

    /// Decides without waiting if nothing has to be looked up, or the storage has the record in memory.
    package func findNow(_ lookup: CacheLookup) -> CacheFinding? {
        let facts = lookup.facts
        var record: CacheRecord?
        if facts.isLookedUp {
            guard let known = vault.loadedRecord(for: lookup.key) else { return nil }
            if known.variants.isEmpty, !search.isEmpty { return nil }
            record = known
        }
        let time = now()
        let decision = decide(facts, stored: record, now: time)
        if let index = decision.usedIndex, let record, !record.variants[index].facts.groups.isEmpty,
            record.variants[index].generations.anyGroup != record.generations.anyGroup
        {
            return nil
        }
        return finding(lookup, record, decision, at: time)
    }

    func finding(_ lookup: CacheLookup, _ record: CacheRecord?, _ decision: CacheDecision, at time: CacheTime)
        -> CacheFinding
    {
        var finding = CacheFinding(key: lookup.key, record: record, decision: decision, time: time)
        finding.deadline = lookup.deadline
        if early.isOn, lookup.facts.acceptsStale, !lookup.facts.isLocal { finding.isDueEarly = early.isDue(finding) }
        return finding
    }

    package func find(_ lookup: CacheLookup) async -> CacheFinding {
        let finding = await findExact(lookup)
        guard lookup.facts.isLookedUp, finding.record?.variants.isEmpty == true else { return finding }
        return await equivalent(lookup) ?? finding
    }

    func findExact(_ lookup: CacheLookup) async -> CacheFinding {
        let vault = vault.within(lookup.deadline)
        var record = await vault.record(for: lookup.key)
        let time = now()
        var decision = decide(lookup.facts, stored: record, now: time)
        // RFC 9875: a member of a group that was invalidated since its exchange began must be validated, too.
        if let index = decision.usedIndex, let found = record, await isInMarkedGroup(index, found, lookup.key, vault) {
            record?.variants[index].generations.url = ~found.generations.url
            decision = decide(lookup.facts, stored: record, now: time)
        }
        return finding(lookup, record, decision, at: time)
    }

    private func isInMarkedGroup(_ index: Int, _ record: CacheRecord, _ key: CacheKey, _ vault: CacheVault) async
        -> Bool
    {
        let variant = record.variants[index]
        guard !variant.facts.groups.isEmpty else { return false }
        if variant.generations.anyGroup == record.generations.anyGroup, !vault.hasPending { return false }
        return await vault.groups(variant.facts.groups.map { key.slot(ofGroup: $0) }, key) != variant.groupGenerations
    }

    /// Marks URLs, and groups of the first one's origin, for validation, for all users (RFC 9111, 4.4; RFC 9875).
    package func invalidate(_ urls: [URL], groups: [String] = [], in scope: CacheScope) async {
        let keys = urls.map { key(of: $0, in: scope) }
        let slots = keys.first.map { key in groups.map { key.slot(ofGroup: $0) } } ?? []
        // The path's own key, too: a stored response of another query may be equivalent to one of these.
        await vault.within(scope.deadline).invalidate(CacheInvalidation(keys + keys.map(\.path), groups: slots))
    }

    package func invalidate(group: String, of url: URL) async {
        await vault.invalidate(CacheInvalidation(groups: [key(of: url, in: CacheScope()).slot(ofGroup: group)]))
    }

    package func key(of url: URL, in scope: CacheScope) -> CacheKey {
        CacheKey(
            url: url,
            partition: scope.partition,
            caller: scope.caller,
            isPersistent: scope.isPersistent,
            by: scope.secretRules
        )
    }
}
