import CoreNetKitChain
import CoreNetKitSystem

import CoreNetKitEssentials

/// Keeps records in memory; evicts the least recently used ones.
///
/// The limit counts bytes: content, head and 256 for each variant. It is split over shards, each with a lock of its own.
/// An entry is at most an eighth of the limit.
public final class MemoryStorage: CacheStorage {
    private let shards: [Locked<MemoryShard>]
    package let shared: SharedCounters
    package let entryLimit: Int64
    /// Whether its counters are private, so that no other storage changes them.
    let countsAlone: Bool

    /// Creates an empty storage.
    ///
    /// - Parameter limit: The maximum number of bytes; 0 keeps nothing.
    public convenience init(limit: CacheSize) { self.init(limit: limit.bytes) }

    package init(limit: Int64, counters: SharedCounters? = nil) {
        // A shard must have room for the largest entry: a small limit means one shard.
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

    /// The stored responses of a resource.
    public func record(for key: CacheKey) async -> CacheRecord? { peek(key) }

    /// The stored responses of a resource.
    public func peek(_ key: CacheKey) -> CacheRecord? {
        var record = CacheRecord(variants: variants(of: key), counters: shared.counters(of: key))
        record.tier = .memory
        return record
    }

    /// The counters of a resource.
    public func counters(of key: CacheKey) -> CacheCounters? { shared.counters(of: key) }

    /// The counters at some slots.
    public func counters(at slots: [Int]) async -> [UInt64]? { shared.numbers(at: slots) }

    /// Executes an edit.
    public func apply(_ edit: CacheEdit) async -> CacheEdit.Result {
        if case .mark(let mark) = edit { return shared.mark(mark) ? .written : .failed }
        guard let key = edit.key else { return .refused }
        return shard(key).withLock { shard in
            // Under the lock that a removal takes after it has changed the counter.
            shard.apply(edit, key, at: shared.counters(of: key))
        }
    }

    /// Collects content, and stores it.
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

    /// Removes the records of a partition, or all.
    @discardableResult
    public func removeAll(partition: String?) async -> Bool {
        let isCounted = shared.end(partition)
        removeRecords(partition: partition)
        return isCounted
    }

    /// The resources with stored responses.
    public func keys(partition: String?) async -> [CacheKey]? {
        shards.flatMap { shard in shard.withLock { $0.keys(partition: partition) } }
    }

    /// Removes records without changing counters.
    package func removeRecords(partition: String?) {
        for shard in shards { shard.withLock { $0.removeAll(partition: partition) } }
    }

    /// The variants of a resource, whatever the counters say.
    package func variants(of key: CacheKey) -> [CacheVariant] {
        shard(key).withLock { $0.variants(for: key) } ?? []
    }

    /// Replaces the variants of a resource; stores none if they are too large.
    package func keep(_ variants: [CacheVariant], for key: CacheKey) {
        shard(key).withLock { $0.keep(variants, for: key) }
    }

    package func remove(_ key: CacheKey) { shard(key).withLock { $0.drop(key) } }

    package func contains(_ key: CacheKey) -> Bool { shard(key).withLock { $0.contains(key) } }

    /// The counts so far.
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
