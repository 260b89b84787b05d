import CoreNetKitChain
import CoreNetKitSystem

import CoreNetKitEssentials

/// Keeps records in memory, the least recently used ones making room for others.
///
/// The limit counts bytes: content, head and 256 for each variant. It is split over shards, each with a lock of its own.
/// An entry is at most an eighth of the limit.
public final class MemoryStorage: CacheStorage {
    private let shards: [Locked<MemoryShard>]
    package let shared: SharedCounters
    package let entryLimit: Int64
    /// Whether its counters are its own, so that no other storage changes them.
    let countsAlone: Bool

    /// Creates an empty storage.
    ///
    /// - Parameter limit: The maximum number of bytes to keep; none keeps nothing.
    public convenience init(limit: CacheSize) { self.init(limit: limit.bytes) }

    package init(limit: Int64, counters: SharedCounters? = nil) {
        // A shard must have room for an entry of the largest size: few bytes have few shards.
        let count = limit >= 1 << 20 ? 8 : 1
        shared = counters ?? SharedCounters()
        countsAlone = counters == nil
        entryLimit = max(0, limit / 8)
        shards = (0..<count).map { _ in
            Locked(MemoryShard(limit: max(0, limit) / Int64(count), entryLimit: max(0, limit / 8)))
        }
    }

    /// Nothing leaves the process.
    public var staysInProcess: Bool { true }

    /// What is stored of a resource.
    public func record(for key: CacheKey) async -> CacheRecord? { peek(key) }

    /// What is stored of a resource.
    public func peek(_ key: CacheKey) -> CacheRecord? {
        var record = CacheRecord(variants: variants(of: key), counters: shared.counters(of: key))
        record.tier = .memory
        return record
    }

    /// What is counted of a resource.
    public func counters(of key: CacheKey) -> CacheCounters? { shared.counters(of: key) }

    /// The counters at some slots.
    public func counters(at slots: [Int]) async -> [UInt64]? { shared.numbers(at: slots) }

    /// Carries out an edit.
    public func apply(_ edit: CacheEdit) async -> CacheEdit.Result {
        if case .mark(let mark) = edit { return shared.mark(mark) ? .written : .failed }
        guard let key = edit.key else { return .refused }
        return shard(key).withLock { shard in
            // Under the lock that a removal takes after it has changed the counter.
            shard.apply(edit, key, at: shared.counters(of: key))
        }
    }

    /// Collects content, and puts it.
    public func writer(
        of variant: CacheVariant,
        for key: CacheKey,
        length: Int64?,
        keepFor: Duration
    ) async -> (any CacheWriter)? {
        guard entryLimit > 0, (length ?? 0) <= entryLimit else { return nil }
        return CollectingWriter(limit: entryLimit) { [self] in
            await apply(.put(variant.holding(.inline($0)), key, keepFor: keepFor))
        }
    }

    /// Removes a partition's records, or all.
    @discardableResult
    public func removeAll(partition: String?) async -> Bool {
        let isCounted = shared.end(partition)
        removeRecords(partition: partition)
        return isCounted
    }

    /// The resources of which something is stored.
    public func keys(partition: String?) async -> [CacheKey]? {
        shards.flatMap { shard in shard.withLock { $0.keys(partition: partition) } }
    }

    /// Removes records, and counts nothing.
    package func removeRecords(partition: String?) {
        for shard in shards { shard.withLock { $0.removeAll(partition: partition) } }
    }

    /// What is here of a resource, whatever is counted.
    package func variants(of key: CacheKey) -> [CacheVariant] {
        shard(key).withLock { $0.variants(for: key) } ?? []
    }

    /// Keeps variants in place of those that are there, or none where they are too large.
    package func keep(_ variants: [CacheVariant], for key: CacheKey) {
        shard(key).withLock { $0.keep(variants, for: key) }
    }

    package func remove(_ key: CacheKey) { shard(key).withLock { $0.drop(key) } }

    package func contains(_ key: CacheKey) -> Bool { shard(key).withLock { $0.contains(key) } }

    /// What happened so far.
    public var counts: CacheStorageCounts {
        shards.reduce(into: CacheStorageCounts()) { sum, shard in
            let counts = shard.withLock { $0.counts }
            sum.entries += counts.entries
            sum.bytes += counts.bytes
            sum.evictions += counts.evictions
        }
    }

    private func shard(_ key: CacheKey) -> Locked<MemoryShard> {
        shards[key.shard % shards.count]
    }
}
