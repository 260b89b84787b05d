import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

/// The storage of a cache, and a memory storage for what is confidential: the one place that decides what that is.
///
/// Confidential is a resource whose URL contains a secret or whose partition has no lasting name, and a response that
/// sets a cookie, has another secret field, or was selected by one.
package struct CacheVault: Sendable {
    package let open: any CacheStorage
    /// `nil` if the main storage stays in the process.
    private let secret: MemoryStorage?
    private var timeout: StorageTimeout
    private let pending: PendingInvalidations
    let sharedRequests: SharedRequests
    private let shared: (any SharedTier)?

    package init(_ open: any CacheStorage, secret: MemoryStorage?, timeout: StorageTimeout) {
        self.open = open
        self.secret = open.staysInProcess ? nil : secret
        let shared = ((open as? TieredStorage)?.behind ?? open) as? any SharedTier
        self.shared = shared
        self.timeout = timeout
        self.timeout.onLate = { shared?.reportTimeout() }
        pending = PendingInvalidations()
        sharedRequests = SharedRequests(retaining: timeout.limit, on: timeout.clock)
    }

    /// Whether a call for this key must fail while the storage does not respond.
    func refuses(_ key: CacheKey) -> Bool { shared?.isRequired == true && key.isPersistent }

    package func within(_ deadline: Duration?) -> CacheVault {
        guard let deadline else { return self }
        var copy = self
        copy.timeout = timeout.within(deadline)
        return copy
    }

    package func loadedRecord(for key: CacheKey) -> CacheRecord? {
        guard !pending.hasAny else { return nil }
        guard let secret else { return open.loadedRecord(for: key) }
        guard key.isPersistent else { return secret.loadedRecord(for: key) }
        // A record with confidential variants is combined by ``record(for:)``.
        return secret.contains(key) ? nil : open.loadedRecord(for: key)
    }

    /// The record; `nil` if the storage does not respond, or a pending invalidation could not be written.
    package func record(for key: CacheKey) async -> CacheRecord? {
        guard await retryPending(key.slot, key.partition) else { return nil }
        guard let secret else { return await timeout.value { await open.record(for: key) } ?? nil }
        let own = secret.loadedRecord(for: key)
        guard key.isPersistent else { return own }
        guard var record = await timeout.value(of: { await open.record(for: key) }) ?? nil else { return nil }
        guard let own else { return record }
        record.own = own.generations
        record.variants += own.variants.map { variant in
            var variant = variant
            variant.generations = Self.translated(variant.generations, from: own.generations, to: record.generations)
            return variant
        }
        return record
    }

    package var hasPending: Bool { pending.hasAny }

    /// Stores a response, and removes the one that it replaces from either storage.
    package func put(_ variant: CacheVariant, _ key: CacheKey, beside record: CacheRecord, keepFor: Duration) async
        -> CacheEdit.Result
    {
        let variant = prepared(variant, key, beside: record)
        await removeElsewhere(variant, key, record)
        return await apply(.put(variant, key, keepFor: keepFor), isConfidential: variant.isConfidential)
    }

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
        let writer = await timeout.value {
            await open.writer(of: variant, for: key, length: length, keepFor: keepFor)
        }
        return (writer ?? nil).map { TimedWriter(writer: $0, timeout: timeout) }
    }

    /// Replaces the head of a stored response; one that has become confidential moves to the memory storage.
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

    package func remove(_ variant: CacheVariant, _ key: CacheKey) async {
        _ = await apply(.remove(variant.id, key), isConfidential: variant.isConfidential || !key.isPersistent)
    }

    package func remove(_ key: CacheKey) async {
        defer { sharedRequests.close() }
        for variant in await record(for: key)?.variants ?? [] { await remove(variant, key) }
    }

    /// Invalidates URLs and groups; if that fails, their responses are bypassed until it succeeds.
    package func invalidate(_ invalidation: CacheInvalidation) async {
        if let secret, secret.countsAlone { _ = await secret.apply(.invalidate(invalidation)) }
        let result = await timeout.value { await open.apply(.invalidate(invalidation)) }
        if result != .written { pending.add(invalidation) }
        sharedRequests.close()
    }

    package func removeAll(partition: String?) async {
        if let secret { await secret.removeAll(partition: partition) }
        // A sign-out waits for the removal.
        if await !open.removeAll(partition: partition) { pending.add(removal: partition) }
        sharedRequests.close()
    }

    /// Removes the responses of a key's origin for its caller; all of the partition if the storage cannot list keys.
    ///
    /// The URLs are invalidated as well, which reaches copies in other processes at once.
    package func removeAll(ofOriginOf key: CacheKey) async {
        defer { sharedRequests.close() }
        let (origin, caller, partition) = (key.origin, key.caller, key.partition)
        let isOfOrigin = { @Sendable (key: CacheKey) in key.origin == origin && key.caller == caller }
        let own = await secret?.keys(partition: partition)?.filter(isOfOrigin) ?? []
        for key in own { secret?.remove(key) }
        // An unfinished removal is pending, and the responses are bypassed until it succeeds.
        let removed = await timeout.value { [open] () async -> [CacheKey]? in
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
        if !own.isEmpty || !keys.isEmpty { await invalidate(CacheInvalidation(own + keys)) }
    }

    package func pathGeneration(of key: CacheKey) -> UInt64? {
        guard !pending.hasAny else { return nil }
        if let secret, !key.isPersistent { return secret.generations(of: key.path)?.url }
        return open.generations(of: key.path)?.url
    }

    /// The sum of the generations of groups; `nil` if unknown, or if a group was invalidated since `anyGroup` was read.
    package func groups(_ slots: [Int], _ key: CacheKey, since anyGroup: UInt64? = nil) async -> UInt64? {
        for slot in slots where await !retryPending(slot, key.partition) { return nil }
        // The generation of all groups is read last, because it changes first.
        let all = slots + [CacheGenerationTable.anyGroup]
        let numbers: [UInt64]?
        if let secret, !key.isPersistent {
            numbers = await secret.generations(at: all)
        } else {
            numbers = await timeout.value { await open.generations(at: all) } ?? nil
        }
        guard let numbers, numbers.count == all.count else { return nil }
        if let anyGroup, numbers.last != anyGroup { return nil }
        return numbers.dropLast().reduce(0, &+)
    }

    /// Opens the content of a variant; a reader with a deadline has to apply it to the result.
    package func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)? {
        if case .inline(let data) = variant.content { return DataContent(data) }
        let content = await timeout.value { await open.content(of: variant, for: key) } ?? nil
        return content.map { TimedContent(content: $0, timeout: timeout.within(nil)) }
    }

    /// Whether this process may request a resource: yes if the storage does not respond, unless it refused before.
    package func lease(_ key: CacheKey, for time: Duration, isHeld: Bool = false) async -> Bool {
        guard secret != nil, key.isPersistent else { return true }
        return await timeout.value { await open.lease(key, for: time) } ?? !isHeld
    }

    package func endLease(_ key: CacheKey) async {
        guard secret != nil, key.isPersistent else { return }
        _ = await timeout.value { await open.endLease(key) }
    }

    package func keys(partition: String?) async -> [CacheKey] {
        let own = await secret?.keys(partition: partition) ?? []
        return Array(Set(own + (await open.keys(partition: partition) ?? [])))
    }

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
        return await timeout.value { await open.apply(edit) } ?? .failed
    }

    /// Decides whether a variant is confidential, and sets the generations of its storage.
    private func prepared(_ variant: CacheVariant, _ key: CacheKey, beside record: CacheRecord) -> CacheVariant {
        guard secret != nil else { return variant }
        var variant = variant
        variant.isConfidential = variant.isConfidential || !key.isPersistent || variant.hasSecrets
        if variant.isConfidential, variant.generations == record.generations { variant.generations = record.own }
        return variant
    }

    /// Translates generations of the memory storage to those of another storage: equal if nothing was invalidated.
    private static func translated(_ then: CacheGenerations, from own: CacheGenerations, to now: CacheGenerations)
        -> CacheGenerations
    {
        CacheGenerations(
            url: then.url == own.url ? now.url : ~now.url,
            partition: then.partition == own.partition ? now.partition : ~now.partition,
            anyGroup: then.anyGroup == own.anyGroup ? now.anyGroup : ~now.anyGroup
        )
    }

    /// Removes the response that this one replaces from the other storage: it would come back in the next run.
    private func removeElsewhere(_ variant: CacheVariant, _ key: CacheKey, _ record: CacheRecord) async {
        for old in record.variants
        where old.replaces(variant) && old.isConfidential != variant.isConfidential && key.isPersistent {
            await remove(old, key)
        }
    }

    /// Retries the pending invalidations and removals of a resource; returns whether none is left.
    private func retryPending(_ slot: Int, _ partition: String) async -> Bool {
        guard pending.hasAny, let changes = pending.changes(of: slot, partition) else { return true }
        for removal in changes.removals {
            guard await timeout.value(of: { await open.removeAll(partition: removal) }) == true else { return false }
        }
        if !changes.invalidation.slots.isEmpty {
            let result = await timeout.value { await open.apply(.invalidate(changes.invalidation)) }
            guard result == .written else { return false }
        }
        pending.drop(changes)
        return true
    }
}
