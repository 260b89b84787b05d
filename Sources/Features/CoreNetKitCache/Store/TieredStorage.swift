public import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

/// A memory storage in front of another one, with copies of its records.
///
/// The backing storage is authoritative. It gets edits first; a copy is a record that was read there, is dropped with
/// every edit through this object, and is used for at most `copiesFor`. If the backing storage knows its generations
/// without waiting, as a disk does, invalidations of other processes reach copies at once; otherwise when a copy has
/// expired. Responses that the backing storage could not store stay only in memory, until it stores something newer.
public final class TieredStorage: CacheStorage {
    private struct Copy: Sendable {
        var generations: CacheGenerations
        var own: CacheGenerations
        var time: Duration
        /// The tier of content that was not copied.
        var tier: CallEvent.CacheTier?
    }

    private struct State: Sendable {
        /// Counts changes, so that a record read before a change is not copied.
        var changes: UInt64 = 0
        var copies: [CacheKey: Copy] = [:]
        /// Records that the backing storage could not store.
        var alone: Set<CacheKey> = []
    }

    private let front: MemoryStorage
    package let behind: any CacheStorage
    private let copiesFor: Duration
    private let clock: CallClock
    private let state = Locked(State())

    /// Puts a memory storage, which nothing else may use, in front of another one; the clock is for the age of copies.
    public init(
        front: MemoryStorage,
        behind: any CacheStorage,
        copiesFor: Duration = .seconds(1),
        clock: CallClock = .continuous
    ) {
        (self.front, self.behind, self.copiesFor, self.clock) = (front, behind, copiesFor, clock)
    }

    /// The stored responses of a resource: a copy, or those of the backing storage.
    public func record(for key: CacheKey) async -> CacheRecord? {
        if let copy = loadedRecord(for: key) { return copy }
        let (seen, own) = (state.withLock { $0.changes }, front.shared.generations(of: key))
        guard let record = await behind.record(for: key) else { return nil }
        guard !record.variants.isEmpty else { return record }
        state.withLock { state in
            guard state.changes == seen else { return }
            front.keep(record.variants, for: key)
            keep(record, own, for: key, &state)
        }
        return record
    }

    private func keep(_ record: CacheRecord, _ own: CacheGenerations, for key: CacheKey, _ state: inout State) {
        // The memory evicts records without notice: forgotten ones are removed from time to time.
        if state.copies.count >= 4096, state.copies.count > 2 * front.counts.entries {
            state.copies = state.copies.filter { front.contains($0.key) }
            state.alone.formIntersection(state.copies.keys)
        }
        state.copies[key] = Copy(generations: record.generations, own: own, time: clock.now, tier: record.tier)
    }

    /// A copy, if it may be used.
    public func loadedRecord(for key: CacheKey) -> CacheRecord? {
        let (found, isAlone) = state.withLock { ($0.copies[key], $0.alone.contains(key)) }
        guard let found else { return nil }
        let (now, own) = (behind.generations(of: key), front.shared.generations(of: key))
        guard now != nil || own == found.own, isAlone || clock.now - found.time <= copiesFor else { return nil }
        let variants = front.variants(of: key)
        // Its partition may have been emptied elsewhere: later generations of the backing storage are not known here.
        var record = CacheRecord(variants: variants, generations: now ?? found.generations)
        // Large content stays in the backing storage.
        (record.tier, record.contentTier) = (.memory, found.tier)
        return record.variants.isEmpty ? nil : record
    }

    /// The generations of the backing storage.
    public func generations(of key: CacheKey) -> CacheGenerations? { behind.generations(of: key) }

    /// The generations of the backing storage.
    public func generations(at slots: [Int]) async -> [UInt64]? { await behind.generations(at: slots) }

    /// Executes an edit in the backing storage, and drops the copy; if it fails there, it is executed here.
    public func apply(_ edit: CacheEdit) async -> CacheEdit.Result {
        guard let key = edit.key else {
            if case .invalidate(let invalidation) = edit { _ = front.shared.invalidate(invalidation) }
            return await behind.apply(edit)
        }
        let result = await behind.apply(edit)
        var staysAlone = result == .failed || state.withLock { $0.alone.contains(key) }
        if case .put = edit, result == .written { staysAlone = false }
        guard staysAlone else {
            changed(key)
            return result
        }
        let kept = await keepAlone(edit, key)
        return kept == .failed ? result : kept
    }

    private func keepAlone(_ edit: CacheEdit, _ key: CacheKey) async -> CacheEdit.Result {
        guard let found = await record(for: key) else { return .failed }
        let own = front.shared.generations(of: key)
        return state.withLock { state in
            state.changes &+= 1
            var record = CacheRecord()
            // Changes made here meanwhile are kept.
            record.variants = state.alone.contains(key) ? front.variants(of: key) : found.variants
            let applied = record.apply(edit, at: found.generations)
            guard applied.result == .written else { return applied.result }
            front.keep(record.variants, for: key)
            guard front.contains(key) else {
                (state.copies[key], _) = (nil, state.alone.remove(key))
                return .failed
            }
            keep(found, own, for: key, &state)
            state.alone.insert(key)
            return applied.result
        }
    }

    private func changed(_ key: CacheKey) {
        state.withLock { state in
            state.changes &+= 1
            state.copies[key] = nil
            state.alone.remove(key)
            front.remove(key)
        }
    }

    /// The content, from either storage.
    public func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)? {
        if case .inline(let data) = variant.content { return DataContent(data) }
        return await behind.content(of: variant, for: key)
    }

    /// A writer of the backing storage; if there is none, one that collects what fits into the memory.
    public func writer(of variant: CacheVariant, for key: CacheKey, length: Int64?, keepFor: Duration) async
        -> (any CacheWriter)?
    {
        if let writer = await behind.writer(of: variant, for: key, length: length, keepFor: keepFor) {
            return CommitInterceptingWriter(writer: writer) { [self] writer in
                defer { changed(key) }
                return await writer.commit()
            }
        }
        guard (length ?? 0) <= front.entryLimit else { return nil }
        return CollectingWriter(limit: front.entryLimit) { [self] in
            await keepAlone(.put(variant.withContent(.inline($0)), key, keepFor: keepFor), key)
        }
    }

    /// Removes the responses of the backing storage, and the copies.
    @discardableResult
    public func removeAll(partition: String?) async -> Bool {
        let isRemoved = await behind.removeAll(partition: partition)
        _ = front.shared.invalidate(partition: partition)
        state.withLock { state in
            // Records read earlier must not be copied any more; existing copies are removed.
            state.changes &+= 1
            state.copies = state.copies.filter { partition != nil && $0.key.partition != partition }
            state.alone.formIntersection(state.copies.keys)
            front.removeRecords(partition: partition)
        }
        return isRemoved
    }

    /// Requests the lease from the backing storage.
    public func lease(_ key: CacheKey, for time: Duration) async -> Bool { await behind.lease(key, for: time) }

    /// Ends the lease in the backing storage.
    public func endLease(_ key: CacheKey) async { await behind.endLease(key) }

    /// The keys of the backing storage, and those only in memory.
    public func keys(partition: String?) async -> [CacheKey]? {
        guard let keys = await behind.keys(partition: partition) else { return nil }
        let alone = state.withLock { $0.alone }.filter { partition == nil || $0.partition == partition }
        return Array(alone.union(keys))
    }

    /// Waits for the backing storage.
    public func flush() async { await behind.flush() }

    /// As the backing storage.
    public var staysInProcess: Bool { behind.staysInProcess }

    /// The statistics of the backing storage, and of what is only in memory.
    public var counts: CacheStorageCounts {
        get async {
            var counts = await behind.counts
            counts.entries += state.withLock { $0.alone.count }
            return counts
        }
    }
}
