public import CoreNetKitChain
import CoreNetKitSystem

import CoreNetKitEssentials

/// Memory before another storage: copies of what that one has.
///
/// The storage behind is authoritative. Edits go there first; a copy is a record that was read there, is dropped with
/// every edit through this object, and is used for at most `copiesFor`. If the storage behind knows its counters
/// without waiting, as a disk does, marks of other processes reach copies at once; otherwise when a copy has expired.
/// Responses that the storage behind could not take stay only here, until it takes something newer.
public final class TieredStorage: CacheStorage {
    /// A copy, and what was counted here when it was made.
    private struct Copy: Sendable {
        var counters: CacheCounters
        var own: CacheCounters
        var time: Duration
        /// Where content is that has not come along.
        var tier: CallEvent.CacheTier?
    }

    private struct State: Sendable {
        /// Counts changes, so that no copy is kept of what was read before one.
        var changes: UInt64 = 0
        var copies: [CacheKey: Copy] = [:]
        /// What the storage behind could not take.
        var alone: Set<CacheKey> = []
    }

    private let front: MemoryStorage
    package let behind: any CacheStorage
    private let copiesFor: Duration
    private let clock: CallClock
    private let state = Locked(State())

    /// Puts memory before a storage.
    ///
    /// - Parameters:
    ///   - front: Where copies are; nothing else may use it.
    ///   - behind: Any storage.
    ///   - copiesFor: How long a copy is used without asking the storage behind.
    ///   - clock: The clock for this.
    public init(
        front: MemoryStorage,
        behind: any CacheStorage,
        copiesFor: Duration = .seconds(1),
        clock: CallClock = .continuous
    ) {
        (self.front, self.behind, self.copiesFor, self.clock) = (front, behind, copiesFor, clock)
    }

    /// What is stored of a resource: a copy, or what is behind.
    public func record(for key: CacheKey) async -> CacheRecord? {
        if let copy = peek(key) { return copy }
        let (seen, own) = (state.withLock { $0.changes }, front.shared.counters(of: key))
        guard let record = await behind.record(for: key) else { return nil }
        guard !record.variants.isEmpty else { return record }
        let copy = Copy(counters: record.counters, own: own, time: clock.now, tier: record.tier)
        state.withLock { state in
            guard state.changes == seen else { return }
            front.keep(record.variants, for: key)
            keep(copy, for: key, &state)
        }
        return record
    }

    private func keep(_ copy: Copy, for key: CacheKey, _ state: inout State) {
        // The memory lets records go without a word: from time to time they are asked for.
        if state.copies.count >= 4096, state.copies.count > 2 * front.counts.entries {
            state.copies = state.copies.filter { front.contains($0.key) }
            state.alone.formIntersection(state.copies.keys)
        }
        state.copies[key] = copy
    }

    /// A copy that may be used.
    public func peek(_ key: CacheKey) -> CacheRecord? {
        let (found, isAlone) = state.withLock { ($0.copies[key], $0.alone.contains(key)) }
        guard let found else { return nil }
        let (now, own) = (behind.counters(of: key), front.shared.counters(of: key))
        guard now != nil || own == found.own, isAlone || clock.now - found.time <= copiesFor else { return nil }
        let variants = front.variants(of: key)
        // Its partition may have been emptied elsewhere: what is behind since then is not known here.
        var record = CacheRecord(variants: variants, counters: now ?? found.counters)
        // Large content stays behind.
        (record.tier, record.contentTier) = (.memory, found.tier)
        return record.variants.isEmpty ? nil : record
    }

    /// What is counted behind.
    public func counters(of key: CacheKey) -> CacheCounters? { behind.counters(of: key) }

    /// What is counted behind.
    public func counters(at slots: [Int]) async -> [UInt64]? { await behind.counters(at: slots) }

    /// Carries out an edit behind, and drops the copy; what cannot be carried out there is done here.
    public func apply(_ edit: CacheEdit) async -> CacheEdit.Result {
        guard let key = edit.key else {
            if case .mark(let mark) = edit { _ = front.shared.mark(mark) }
            return await behind.apply(edit)
        }
        let result = await behind.apply(edit)
        guard result == .failed || state.withLock({ $0.alone.contains(key) }) else {
            changed(key)
            return result
        }
        if case .put = edit, result == .written {
            changed(key)
            return result
        }
        let kept = await keepAlone(edit, key)
        return kept == .failed ? result : kept
    }

    private func keepAlone(_ edit: CacheEdit, _ key: CacheKey) async -> CacheEdit.Result {
        guard let found = await record(for: key) else { return .failed }
        let own = front.shared.counters(of: key)
        return state.withLock { state in
            state.changes &+= 1
            var record = CacheRecord()
            // What others have put here meanwhile is kept.
            record.variants = state.alone.contains(key) ? front.variants(of: key) : found.variants
            let applied = record.apply(edit, at: found.counters)
            guard applied.result == .written else { return applied.result }
            front.keep(record.variants, for: key)
            guard front.contains(key) else {
                (state.copies[key], _) = (nil, state.alone.remove(key))
                return .failed
            }
            keep(Copy(counters: found.counters, own: own, time: clock.now, tier: found.tier), for: key, &state)
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

    /// The content, wherever it is.
    public func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)? {
        if case .inline(let data) = variant.content { return DataContent(data) }
        return await behind.content(of: variant, for: key)
    }

    /// A writer behind; where there is none, one that collects what fits into the memory.
    public func writer(
        of variant: CacheVariant,
        for key: CacheKey,
        length: Int64?,
        keepFor: Duration
    ) async -> (any CacheWriter)? {
        if let writer = await behind.writer(of: variant, for: key, length: length, keepFor: keepFor) {
            return TieredWriter(writer) { [self] in changed(key) }
        }
        guard (length ?? 0) <= front.entryLimit else { return nil }
        return CollectingWriter(limit: front.entryLimit) { [self] in
            await keepAlone(.put(variant.holding(.inline($0)), key, keepFor: keepFor), key)
        }
    }

    /// Removes what is behind, and the copies.
    @discardableResult
    public func removeAll(partition: String?) async -> Bool {
        let isRemoved = await behind.removeAll(partition: partition)
        _ = front.shared.end(partition)
        state.withLock { state in
            // What was read before keeps no copy; what is copied already goes with the rest.
            state.changes &+= 1
            state.copies = state.copies.filter { partition != nil && $0.key.partition != partition }
            state.alone.formIntersection(state.copies.keys)
            front.removeRecords(partition: partition)
        }
        return isRemoved
    }

    /// Asks behind.
    public func lease(_ key: CacheKey, for time: Duration) async -> Bool { await behind.lease(key, for: time) }

    /// Tells what is behind.
    public func endLease(_ key: CacheKey) async { await behind.endLease(key) }

    /// What is behind, and what is here alone.
    public func keys(partition: String?) async -> [CacheKey]? {
        guard let keys = await behind.keys(partition: partition) else { return nil }
        let alone = state.withLock { $0.alone }.filter { partition == nil || $0.partition == partition }
        return Array(alone.union(keys))
    }

    /// Waits for what is behind.
    public func flush() async { await behind.flush() }

    /// As the storage behind.
    public var staysInProcess: Bool { behind.staysInProcess }

    /// What is counted behind, and what is here alone.
    public var counts: CacheStorageCounts {
        get async {
            var counts = await behind.counts
            counts.entries += state.withLock { $0.alone.count }
            return counts
        }
    }
}

/// Tells when what it writes is in its storage.
private struct TieredWriter: CacheWriter {
    let writer: any CacheWriter
    let changed: @Sendable () -> Void

    init(_ writer: any CacheWriter, changed: @escaping @Sendable () -> Void) {
        (self.writer, self.changed) = (writer, changed)
    }

    func write(_ chunk: Data) async -> Bool { await writer.write(chunk) }

    func commit() async -> CacheEdit.Result {
        let result = await writer.commit()
        changed()
        return result
    }

    func discard() async { await writer.discard() }
}
