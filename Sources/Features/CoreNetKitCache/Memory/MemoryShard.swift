import CoreNetKitHTTP

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

    package mutating func apply(_ edit: CacheEdit, _ key: CacheKey, at now: CacheCounters) -> CacheEdit.Result {
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

    package mutating func drop(_ key: CacheKey) { _ = remove(key) }

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

    private mutating func remove(_ key: CacheKey) -> [CacheVariant]? {
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
            sum + 256 + variant.content.length + variant.headSize
        }
    }
}

extension CacheVariant {
    /// The bytes of names and values.
    package var headSize: Int64 {
        let fields = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        return selecting.reduce(Int64(fields)) { $0 + Int64($1.name.utf8.count + ($1.value?.utf8.count ?? 0)) }
    }
}
