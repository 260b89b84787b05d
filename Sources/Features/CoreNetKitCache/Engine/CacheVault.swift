import CoreNetKitChain
import CoreNetKitSystem

import CoreNetKitEssentials

/// The storage of a cache, and beside it a memory for what must not leave the process: the one place that knows what is
/// confidential.
///
/// That is a resource whose URL has a secret in it or whose partition has no lasting name, and a response that sets a
/// cookie, has another secret field, or was selected by one. A storage that stays in the process gets everything.
package struct CacheVault: Sendable {
    package let open: any CacheStorage
    /// `nil` where the storage stays in the process.
    private let secret: MemoryStorage?
    private let patience: CachePatience
    private let pending: PendingMarks
    /// What this process has under way.
    let flights: CacheFlights
    private let shared: (any SharedTier)?

    package init(_ open: any CacheStorage, secret: MemoryStorage?, patience: CachePatience) {
        self.open = open
        self.secret = open.staysInProcess ? nil : secret
        let shared = ((open as? TieredStorage)?.behind ?? open) as? any SharedTier
        self.shared = shared
        self.patience = patience.telling { shared?.noteLate() }
        pending = PendingMarks()
        flights = CacheFlights(staying: patience.limit, on: patience.clock)
    }

    private init(_ vault: CacheVault, _ patience: CachePatience) {
        (open, secret, pending) = (vault.open, vault.secret, vault.pending)
        (flights, shared) = (vault.flights, vault.shared)
        self.patience = patience
    }

    /// Whether a call must not be sent for which the storage did not say what is stored.
    func refuses(_ key: CacheKey) -> Bool { shared?.isRequired == true && key.isPersistent }

    /// The same storages for a call with a deadline.
    package func within(_ deadline: Duration?) -> CacheVault {
        deadline == nil ? self : CacheVault(self, patience.within(deadline))
    }

    /// The record, where it is known without waiting.
    package func peek(_ key: CacheKey) -> CacheRecord? {
        guard !pending.areAny else { return nil }
        guard let secret else { return open.peek(key) }
        guard key.isPersistent else { return secret.peek(key) }
        // What has a secret beside it is put together by ``record(for:)``.
        return secret.contains(key) ? nil : open.peek(key)
    }

    /// The record; `nil` where nobody knows, or a mark of it could not be made yet.
    package func record(for key: CacheKey) async -> CacheRecord? {
        guard await isMarked(key.slot, key.partition) else { return nil }
        guard let secret else { return await patience.value { await open.record(for: key) } ?? nil }
        let own = secret.peek(key)
        guard key.isPersistent else { return own }
        guard var record = await patience.value(of: { await open.record(for: key) }) ?? nil else { return nil }
        guard let own else { return record }
        record.own = own.counters
        record.variants += own.variants.map { variant in
            var variant = variant
            variant.counters = Self.translated(variant.counters, from: own.counters, to: record.counters)
            return variant
        }
        return record
    }

    /// Whether there are marks that could not be written yet.
    package var hasPending: Bool { pending.areAny }

    /// Stores a response; what it replaces goes, wherever it is.
    ///
    /// - Returns: The outcome.
    package func put(_ variant: CacheVariant, _ key: CacheKey, beside record: CacheRecord, keepFor: Duration) async
        -> CacheEdit.Result
    {
        let variant = prepared(variant, key, beside: record)
        await removeElsewhere(variant, key, record)
        return await apply(.put(variant, key, keepFor: keepFor), isConfidential: variant.isConfidential)
    }

    /// A place to write a response to.
    package func writer(
        of variant: CacheVariant,
        for key: CacheKey,
        beside record: CacheRecord,
        length: Int64?,
        keepFor: Duration
    ) async -> (any CacheWriter)? {
        let variant = prepared(variant, key, beside: record)
        await removeElsewhere(variant, key, record)
        if variant.isConfidential, let secret {
            return await secret.writer(of: variant, for: key, length: length, keepFor: keepFor)
        }
        let writer = await patience.value {
            await open.writer(of: variant, for: key, length: length, keepFor: keepFor)
        }
        return (writer ?? nil).map { PatientWriter($0, patience) }
    }

    /// Replaces the head of a stored response; one that has become confidential moves.
    package func renew(_ variant: CacheVariant, _ key: CacheKey, beside record: CacheRecord, keepFor: Duration) async
        -> CacheEdit.Result
    {
        let (renewed, wasConfidential) = (prepared(variant, key, beside: record), variant.isConfidential)
        guard renewed.isConfidential, !wasConfidential, secret != nil, key.isPersistent else {
            return await apply(.renew(renewed, key, keepFor: keepFor), isConfidential: renewed.isConfidential)
        }
        _ = await apply(.remove(renewed.id, key), isConfidential: false)
        guard case .inline = renewed.content else { return .refused }
        return await apply(.put(renewed, key, keepFor: keepFor), isConfidential: true)
    }

    /// Removes a stored response.
    package func remove(_ variant: CacheVariant, _ key: CacheKey) async {
        _ = await apply(.remove(variant.id, key), isConfidential: variant.isConfidential || !key.isPersistent)
    }

    /// Removes every stored response of a resource.
    package func remove(_ key: CacheKey) async {
        defer { flights.close() }
        for variant in await record(for: key)?.variants ?? [] { await remove(variant, key) }
    }

    /// Makes everything that is stored of some URLs and groups to be validated; what could not be marked is bypassed until
    /// it is.
    package func mark(_ mark: CacheMark) async {
        if let secret, secret.countsAlone { _ = await secret.apply(.mark(mark)) }
        let result = await patience.value { await open.apply(.mark(mark)) }
        if result != .written { pending.add(mark) }
        flights.close()
    }

    /// Removes what is stored for a partition, or everything.
    package func removeAll(partition: String?) async {
        if let secret { await secret.removeAll(partition: partition) }
        // A sign-out is waited for.
        if await !open.removeAll(partition: partition) { pending.add(removal: partition) }
        flights.close()
    }

    /// Removes what is stored of a key's origin for its caller; of a storage that cannot list what it has, all of the
    /// partition.
    ///
    /// The URLs are marked as well: copies in other processes have that at once.
    package func removeAll(ofOriginOf key: CacheKey) async {
        defer { flights.close() }
        let (origin, caller, partition) = (key.origin, key.caller, key.partition)
        let isOfOrigin = { @Sendable (key: CacheKey) in key.origin == origin && key.caller == caller }
        let own = await secret?.keys(partition: partition)?.filter(isOfOrigin) ?? []
        for key in own { secret?.remove(key) }
        // A call waits for this, and no longer than for anything else: what is not done in time is bypassed until it is.
        let removed = await patience.value { [open] () async -> [CacheKey]? in
            guard let keys = await open.keys(partition: partition)?.filter(isOfOrigin) else {
                return await open.removeAll(partition: partition) ? [] : nil
            }
            for key in keys {
                for variant in await open.record(for: key)?.variants ?? [] {
                    _ = await open.apply(.remove(variant.id, key))
                }
            }
            return keys
        }
        guard let keys = removed ?? nil else { return pending.add(removal: partition) }
        if !own.isEmpty || !keys.isEmpty { await mark(CacheMark(own + keys)) }
    }

    /// What is counted of all URLs of a resource's path, where that is known without waiting.
    package func pathCounter(of key: CacheKey) -> UInt64? {
        guard !pending.areAny else { return nil }
        if let secret, !key.isPersistent { return secret.counters(of: key.path)?.url }
        return open.counters(of: key.path)?.url
    }

    /// Adds up the counters of some groups.
    ///
    /// - Parameters:
    ///   - slots: Those of the groups.
    ///   - key: A resource of theirs.
    ///   - anyGroup: The counter of all groups when the exchange began.
    /// - Returns: The sum; `nil` where nobody knows, or a group was marked since the exchange began.
    package func groups(_ slots: [Int], _ key: CacheKey, since anyGroup: UInt64? = nil) async -> UInt64? {
        for slot in slots where await !isMarked(slot, key.partition) { return nil }
        // The counter of all groups is read last: it changes first.
        let all = slots + [CacheCounterTable.anyGroup]
        let numbers: [UInt64]?
        if let secret, !key.isPersistent {
            numbers = await secret.counters(at: all)
        } else {
            numbers = await patience.value { await open.counters(at: all) } ?? nil
        }
        guard let numbers, numbers.count == all.count else { return nil }
        if let anyGroup, numbers.last != anyGroup { return nil }
        return numbers.dropLast().reduce(0, &+)
    }

    /// Opens the content of a variant; whoever reads it for a call with a deadline says so.
    package func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)? {
        if case .inline(let data) = variant.content { return DataContent(data) }
        let content = await patience.value { await open.content(of: variant, for: key) } ?? nil
        return content.map { PatientContent($0, patience.within(nil)) }
    }

    /// Whether this process is the one that asks the server for a resource; a storage that does not say has not said no,
    /// unless it has before.
    package func lease(_ key: CacheKey, for time: Duration, isHeld: Bool = false) async -> Bool {
        guard secret != nil, key.isPersistent else { return true }
        return await patience.value { await open.lease(key, for: time) } ?? !isHeld
    }

    /// This process has its response, or none.
    package func endLease(_ key: CacheKey) async {
        guard secret != nil, key.isPersistent else { return }
        _ = await patience.value { await open.endLease(key) }
    }

    /// The resources of which something is stored.
    package func keys(partition: String?) async -> [CacheKey] {
        let own = await secret?.keys(partition: partition) ?? []
        return Array(Set(own + (await open.keys(partition: partition) ?? [])))
    }

    /// What happened so far, both storages together.
    package var counts: CacheStorageCounts {
        get async {
            var counts = await open.counts
            guard let memory = secret?.counts else { return counts }
            counts.entries += memory.entries
            counts.bytes += memory.bytes
            return counts
        }
    }

    private func apply(_ edit: CacheEdit, isConfidential: Bool) async -> CacheEdit.Result {
        if isConfidential, let secret { return await secret.apply(edit) }
        return await patience.value { await open.apply(edit) } ?? .failed
    }

    /// Says where it may be, and which counters count there.
    private func prepared(_ variant: CacheVariant, _ key: CacheKey, beside record: CacheRecord) -> CacheVariant {
        guard secret != nil else { return variant }
        var variant = variant
        variant.isConfidential = variant.isConfidential || !key.isPersistent || variant.hasSecrets
        if variant.isConfidential, variant.counters == record.counters { variant.counters = record.own }
        return variant
    }

    /// What is counted beside a storage that counts for itself, in its numbers: the same where nothing was marked.
    private static func translated(_ then: CacheCounters, from own: CacheCounters, to now: CacheCounters)
        -> CacheCounters
    {
        CacheCounters(
            url: then.url == own.url ? now.url : ~now.url,
            partition: then.partition == own.partition ? now.partition : ~now.partition,
            anyGroup: then.anyGroup == own.anyGroup ? now.anyGroup : ~now.anyGroup
        )
    }

    /// What was stored in its place in the other storage would come back with the next run.
    private func removeElsewhere(_ variant: CacheVariant, _ key: CacheKey, _ record: CacheRecord) async {
        for old in record.variants
        where old.hasPlace(of: variant) && old.isConfidential != variant.isConfidential && key.isPersistent {
            await remove(old, key)
        }
    }

    /// Whether nothing is left to be marked or removed for a resource; what is left is tried once more.
    private func isMarked(_ slot: Int, _ partition: String) async -> Bool {
        guard pending.areAny, let rest = pending.rest(of: slot, partition) else { return true }
        for removal in rest.removals {
            guard await patience.value(of: { await open.removeAll(partition: removal) }) == true else { return false }
        }
        if !rest.mark.slots.isEmpty {
            guard await patience.value(of: { await open.apply(.mark(rest.mark)) }) == .written else { return false }
        }
        pending.drop(rest)
        return true
    }
}

/// A writer whose storage is waited for as long as its other calls are.
private struct PatientWriter: CacheWriter {
    let writer: any CacheWriter
    let patience: CachePatience

    init(_ writer: any CacheWriter, _ patience: CachePatience) { (self.writer, self.patience) = (writer, patience) }

    func write(_ chunk: Data) async -> Bool { await patience.value { await writer.write(chunk) } ?? false }
    func commit() async -> CacheEdit.Result { await patience.value { await writer.commit() } ?? .failed }
    func discard() async { await writer.discard() }
}
