import CoreNetKitChain
import CoreNetKitSystem

package import CoreNetKitEssentials

/// Keeps records in memory, the least recently used ones making room for others.
///
/// The limit counts bytes: content, head and 256 for each variant. It is split over shards, each with a lock of its own.
/// An entry is at most an eighth of the limit.
package final class MemoryStorage: ImmediateStorage {
    private let shards: [Locked<MemoryShard>]
    private let epochs = Locked(PartitionEpochs())
    package let entryLimit: Int64

    /// Creates an empty storage.
    ///
    /// - Parameter limit: The most bytes to keep; zero or less keeps nothing.
    package init(limit: Int64) {
        // A shard must have room for an entry of the largest size: few bytes have few shards.
        let count = limit >= 1 << 20 ? 8 : 1
        entryLimit = max(0, limit / 8)
        shards = (0..<count).map { _ in Locked(MemoryShard(limit: max(0, limit) / Int64(count))) }
    }

    package func record(for key: CacheKey) async -> CacheRecord? { shard(key).withLock { $0.record(for: key) } }

    package func peek(_ key: CacheKey) -> CachePeek { .known(shard(key).withLock { $0.record(for: key) }) }

    package func change(_ key: CacheKey, _ edit: @escaping @Sendable (inout CacheRecord) -> Void) async {
        shard(key).withLock { $0.change(key, entryLimit: entryLimit, edit) }
    }

    /// Keeps a copy of a whole record, or none where it is too large.
    package func keep(_ record: CacheRecord, for key: CacheKey) {
        shard(key).withLock { $0.keep(record, for: key, entryLimit: entryLimit) }
    }

    package func remove(_ key: CacheKey) { shard(key).withLock { $0.drop(key) } }

    package func contains(_ key: CacheKey) -> Bool { shard(key).withLock { $0.contains(key) } }

    package func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)? {
        guard case .inline(let data) = variant.content else { return nil }
        return DataContent(data)
    }

    package func writer(for key: CacheKey, length: Int64?) async -> (any CacheWriter)? {
        guard entryLimit > 0, (length ?? 0) <= entryLimit else { return nil }
        let epoch = epochs.withLock { $0.epoch(of: key.partition) }
        return MemoryWriter(limit: entryLimit) { [self] variant in
            shard(key).withLock { shard in
                // Under the lock that the removal takes after it has ended the epoch.
                guard epochs.withLock({ $0.epoch(of: key.partition) }) == epoch else { return false }
                shard.change(key, entryLimit: entryLimit) { $0.put(variant) }
                return true
            }
        }
    }

    package func removeAll(partition: String?) async {
        epochs.withLock { $0.end(partition) }
        for shard in shards { shard.withLock { $0.removeAll(partition: partition) } }
    }

    package var counts: CacheStorageCounts {
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

/// Collects content up to a limit.
package struct MemoryWriter: CacheWriter {
    private let collected = Locked<Data?>(Data())
    private let limit: Int64
    private let put: @Sendable (CacheVariant) -> Bool

    package init(limit: Int64, put: @escaping @Sendable (CacheVariant) -> Bool) {
        self.limit = limit
        self.put = put
    }

    package func write(_ chunk: Data) async -> Bool {
        collected.withLock { data in
            guard let count = data?.count, Int64(count) + Int64(chunk.count) <= limit else {
                data = nil
                return false
            }
            if count == 0 { data = chunk } else { data?.append(chunk) }
            return true
        }
    }

    package func commit(_ make: @escaping @Sendable (CacheVariant.Content) -> CacheVariant) async -> Bool {
        guard let data = collected.withLock({ $0 }) else { return false }
        return put(make(.inline(data)))
    }

    package func discard() async { collected.withLock { $0 = nil } }
}
