import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Keeps records in memory; evicts the least recently used ones.
///
/// The limit counts bytes: content, head and 256 for each variant. It is split over shards, each with a lock of its
/// own. An entry is at most an eighth of the limit.
public final class MemoryStorage: CacheStorage {
    private let shards: [Locked<MemoryShard>]
    package let shared: SharedGenerations
    package let entryLimit: Int64
    /// Whether its generations are private, so that no other storage changes them.
    let countsAlone: Bool

    /// Creates an empty storage; a limit of 0 keeps nothing.
    public convenience init(limit: CacheSize) { self.init(limit: limit.bytes) }

    package init(limit: Int64, generations: SharedGenerations? = nil) {
        // A shard must have room for the largest entry: a small limit means one shard.
        let count = limit >= 1 << 20 ? 8 : 1
        shared = generations ?? SharedGenerations()
        countsAlone = generations == nil
        entryLimit = max(0, limit / 8)
        shards = (0..<count).map { _ in
            Locked(MemoryShard(limit: max(0, limit) / Int64(count), entryLimit: max(0, limit / 8)))
        }
    }

    /// Nothing leaves the process.
    public var staysInProcess: Bool { true }

    /// The stored responses of a resource.
    public func record(for key: CacheKey) async -> CacheRecord? { loadedRecord(for: key) }

    /// The stored responses of a resource.
    public func loadedRecord(for key: CacheKey) -> CacheRecord? {
        var record = CacheRecord(variants: variants(of: key), generations: shared.generations(of: key))
        record.tier = .memory
        return record
    }

    /// The generations of a resource.
    public func generations(of key: CacheKey) -> CacheGenerations? { shared.generations(of: key) }

    /// The generations at some slots.
    public func generations(at slots: [Int]) async -> [UInt64]? { shared.generations(at: slots) }

    /// Executes an edit.
    public func apply(_ edit: CacheEdit) async -> CacheEdit.Result {
        if case .invalidate(let invalidation) = edit { return shared.invalidate(invalidation) ? .written : .failed }
        guard let key = edit.key else { return .refused }
        return shard(key).withLock { shard in
            // Under the lock that a removal takes after it has changed the generation.
            shard.apply(edit, key, at: shared.generations(of: key))
        }
    }

    /// Collects content, and stores it.
    public func writer(of variant: CacheVariant, for key: CacheKey, length: Int64?, keepFor: Duration) async
        -> (any CacheWriter)?
    {
        guard entryLimit > 0, (length ?? 0) <= entryLimit else { return nil }
        return CollectingWriter(limit: entryLimit) { [self] in
            await apply(.put(variant.withContent(.inline($0)), key, keepFor: keepFor))
        }
    }

    /// Removes the records of a partition, or all.
    @discardableResult
    public func removeAll(partition: String?) async -> Bool {
        let isCounted = shared.invalidate(partition: partition)
        removeRecords(partition: partition)
        return isCounted
    }

    /// The resources with stored responses.
    public func keys(partition: String?) async -> [CacheKey]? {
        shards.flatMap { shard in shard.withLock { $0.keys(partition: partition) } }
    }

    package func removeRecords(partition: String?) {
        for shard in shards { shard.withLock { $0.removeAll(partition: partition) } }
    }

    /// The variants of a resource, whatever the generations say.
    package func variants(of key: CacheKey) -> [CacheVariant] { shard(key).withLock { $0.variants(for: key) } ?? [] }

    /// Replaces the variants of a resource; stores none if they are too large.
    package func keep(_ variants: [CacheVariant], for key: CacheKey) {
        shard(key).withLock { $0.keep(variants, for: key) }
    }

    package func remove(_ key: CacheKey) { shard(key).withLock { _ = $0.remove(key) } }

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

    private func shard(_ key: CacheKey) -> Locked<MemoryShard> { shards[key.shard % shards.count] }
}

/// A part of the memory storage: records in the order of their use, as a linked list of slots.
package struct MemoryShard: Sendable {
    private struct Slot: Sendable {
        var key: CacheKey
        var variants: [CacheVariant]
        var bytes: Int64
        var newer: Int
        var older: Int
    }

    private static let none = -1

    private let limit: Int64
    private let entryLimit: Int64
    private var slots: [Slot?] = []
    private var free: [Int] = []
    private var indices: [CacheKey: Int] = [:]
    private var newest = MemoryShard.none
    private var oldest = MemoryShard.none
    private var bytes: Int64 = 0
    private var evictions = 0

    package init(limit: Int64, entryLimit: Int64) { (self.limit, self.entryLimit) = (limit, entryLimit) }

    package var counts: CacheStorageCounts {
        var counts = CacheStorageCounts()
        counts.entries = indices.count
        counts.bytes = bytes
        counts.evictions = evictions
        return counts
    }

    package mutating func variants(for key: CacheKey) -> [CacheVariant]? {
        guard let index = indices[key] else { return nil }
        if index != newest {
            unlink(index)
            link(index)
        }
        return slots[index]?.variants
    }

    package mutating func apply(_ edit: CacheEdit, _ key: CacheKey, at now: CacheGenerations) -> CacheEdit.Result {
        var record = CacheRecord()
        record.variants = remove(key) ?? []
        let applied = record.apply(edit, at: now)
        // The oldest variants are dropped first if the record is too large.
        while !record.variants.isEmpty, Self.size(of: record.variants, key) > entryLimit {
            evictions += 1
            record.variants.removeFirst()
        }
        if !record.variants.isEmpty { insert(key, record.variants) }
        evict()
        if case .put = edit, applied.result == .written, record.variants.isEmpty { return .refused }
        return applied.result
    }

    package mutating func keep(_ variants: [CacheVariant], for key: CacheKey) {
        _ = remove(key)
        guard !variants.isEmpty, Self.size(of: variants, key) <= entryLimit else { return }
        insert(key, variants)
        evict()
    }

    package func keys(partition: String?) -> [CacheKey] {
        indices.keys.filter { partition == nil || $0.partition == partition }
    }

    package func contains(_ key: CacheKey) -> Bool { indices[key] != nil }

    package mutating func removeAll(partition: String?) {
        for key in indices.keys.filter({ partition == nil || $0.partition == partition }) { _ = remove(key) }
    }

    private mutating func evict() {
        while bytes > limit, oldest != Self.none, let key = slots[oldest]?.key {
            _ = remove(key)
            evictions += 1
        }
    }

    private mutating func insert(_ key: CacheKey, _ variants: [CacheVariant]) {
        let size = Self.size(of: variants, key)
        let slot = Slot(key: key, variants: variants, bytes: size, newer: Self.none, older: Self.none)
        let index: Int
        if let reused = free.popLast() {
            index = reused
            slots[index] = slot
        } else {
            index = slots.count
            slots.append(slot)
        }
        indices[key] = index
        bytes += size
        link(index)
    }

    mutating func remove(_ key: CacheKey) -> [CacheVariant]? {
        guard let index = indices.removeValue(forKey: key), let slot = slots[index] else { return nil }
        unlink(index)
        bytes -= slot.bytes
        slots[index] = nil
        free.append(index)
        return slot.variants
    }

    private mutating func link(_ index: Int) {
        slots[index]?.older = newest
        slots[index]?.newer = Self.none
        if newest != Self.none { slots[newest]?.newer = index } else { oldest = index }
        newest = index
    }

    private mutating func unlink(_ index: Int) {
        guard let slot = slots[index] else { return }
        if slot.newer != Self.none { slots[slot.newer]?.older = slot.older } else { newest = slot.older }
        if slot.older != Self.none { slots[slot.older]?.newer = slot.newer } else { oldest = slot.newer }
    }

    /// Content, fields, key, and 256 bytes for each variant and record.
    private static func size(of variants: [CacheVariant], _ key: CacheKey) -> Int64 {
        variants.reduce(256 + Int64(key.url.utf8.count + key.partition.utf8.count)) { sum, variant in
            let fields = variant.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            let selecting = variant.selectingFields.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) }
            return sum + 256 + variant.content.length + Int64(fields + selecting)
        }
    }
}
