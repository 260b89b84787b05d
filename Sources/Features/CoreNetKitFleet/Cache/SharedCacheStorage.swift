public import CoreNetKitCache
import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitRecovery
import CoreNetKitSystem

/// Stored responses that several processes share: a cache storage over a shared store.
///
/// Put memory before it: `TieredStorage(front: MemoryStorage(limit: …), behind: …)`. A look-up is one round trip: it
/// requests the record and, at the same time, those of its four generations that are not known. An edit is a
/// compare-and-swap. Content of more than 64 KiB stays in the process that received it. Confidential responses are not
/// stored here: the cache keeps them in the process.
///
/// The store reports other processes' invalidations, so they take effect at once.
public final class SharedCacheStorage: CacheStorage {
    private let store: any SharedStore
    private let name: String
    private let sealing: any Sealing
    private let date: @Sendable () -> Date
    private let known: KnownGenerations
    private let leases = Locked<[CacheKey: SharedLease]>([:])
    /// When the leases of other processes end, as far as this process has seen.
    private let leaseEnds = Locked<[CacheKey: Duration]>([:])
    private let failurePolicy: StoreFailurePolicy
    private let events: @Sendable (FleetEvent) -> Void

    private static let maxLifetime = Duration.seconds(30 * 86_400)

    /// Creates a storage over a shared store.
    ///
    /// - Parameters:
    ///   - store: The store that the processes share.
    ///   - name: Distinguishes these responses from others in the store, the same in each process: a service, an
    ///     environment, and another text for each version of the program that interprets responses differently.
    ///   - sealing: How responses are sealed: ``SealingKeys``, or `.plain`, written out.
    ///   - policy: What happens while the store is unavailable: a response that is not in memory is a miss (`.open`,
    ///     `.localShare`), or the request fails with `nodeFailed` (`.closed`).
    ///   - date: The time of day, from which the lifetimes of records are computed.
    ///   - events: Called when the store could not be reached; must return quickly.
    public init(
        in store: any SharedStore,
        named name: String,
        sealing: some Sealing,
        ifStoreUnavailable policy: StoreFailurePolicy = .open,
        date: @escaping @Sendable () -> Date = { Date() },
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        (self.store, self.name, self.sealing, self.date, self.events) = (store, name, sealing, date, events)
        failurePolicy = policy
        known = KnownGenerations(store, kind: Self.generationKind)
        known.onChange { [weak self] slot in _ = await self?.generation(at: slot) }
    }

    // MARK: - Look-ups

    /// Reads a resource's record and its generations; generations that are not known are read at the same time.
    public func record(for key: CacheKey) async -> CacheRecord? {
        let current = known.current(at: Self.slots(of: key)).map(Self.generations)
        guard var record = await lookUp(key, at: current)?.record else { return nil }
        record.tier = .shared
        return record
    }

    /// A record, its version (0 if there is none), and when it expires, in milliseconds since 1970.
    private typealias Found = (record: CacheRecord, version: UInt64, end: Int64)

    private func lookUp(_ key: CacheKey, at current: CacheGenerations? = nil) async -> Found? {
        let storeKey = storeKey(of: key)
        if let current { return await value(at: storeKey).map { decoded($0, key, storeKey, at: current) } }
        async let storedValue = value(at: storeKey)
        async let currentGenerations = generations(of: key)
        guard let value = await storedValue, let generations = await currentGenerations else { return nil }
        return decoded(value, key, storeKey, at: generations)
    }

    private func value(at storeKey: SharedKey) async -> SharedValue?? {
        await attempt { (store) throws(SharedStoreError) in try await store.read(storeKey) }
    }

    private func decoded(
        _ value: SharedValue?,
        _ key: CacheKey,
        _ storeKey: SharedKey,
        at generations: CacheGenerations
    )
        -> Found
    {
        let nothing = CacheRecord(variants: [], generations: generations)
        guard let value else { return (nothing, 0, 0) }
        // A value that cannot be opened, or belongs to another resource, is overwritten.
        let read = try? sealing.opened(value.bytes, at: storeKey)
        guard let read, let record = RecordFormat.decode([UInt8](read.dropFirst(8)), key) else {
            return (nothing, value.version, 0)
        }
        // Leaves out the responses of a partition that was emptied since.
        let found = CacheRecord(variants: record.variants, generations: generations)
        return (found, value.version, Int64(bitPattern: read.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }))
    }

    private func generations(of key: CacheKey) async -> CacheGenerations? {
        async let all = generation(at: Self.epoch)
        async let url = generation(at: key.slot)
        async let partition = generation(at: key.partitionSlot)
        async let anyGroup = generation(at: CacheGenerationTable.anyGroup)
        guard let all = await all, let url = await url, let partition = await partition, let group = await anyGroup
        else { return nil }
        return Self.generations([all, url, partition, group])
    }

    /// The generations, if they are known without a request because changes are reported.
    public func generations(of key: CacheKey) -> CacheGenerations? {
        known.numbers(at: Self.slots(of: key)).map(Self.generations)
    }

    private static func slots(of key: CacheKey) -> [Int] {
        [epoch, key.slot, key.partitionSlot, CacheGenerationTable.anyGroup]
    }

    /// The generations from the numbers at a key's slots; the epoch is combined with the partition's number.
    private static func generations(_ numbers: [UInt64]) -> CacheGenerations {
        let partition = (numbers[0] &* 0x9E37_79B9_7F4A_7C15) ^ numbers[2]
        return CacheGenerations(url: numbers[1], partition: partition, anyGroup: numbers[3])
    }

    /// The current generations at some slots.
    public func generations(at slots: [Int]) async -> [UInt64]? {
        var numbers: [UInt64] = []
        for slot in slots {
            guard let number = await generation(at: slot) else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    // MARK: - Generations

    private static let generationKind = "cachemark"
    /// The slot that counts removals of everything; it is combined with every partition's generation.
    private static let epoch = CacheGenerationTable.anyGroup + 1

    private func storeKey(ofGeneration slot: Int) -> SharedKey {
        SharedKey(kind: Self.generationKind, "\(name)\n\(slot)")
    }

    /// Reads a generation: the version of an empty value, so it never repeats, and a lost generation gets a new one.
    private func generation(at slot: Int) async -> UInt64? {
        let key = storeKey(ofGeneration: slot)
        let seen = known.begin(key, slot)
        for _ in 0..<8 {
            guard let value = await value(at: key) else { return nil }
            if let value {
                known.learn(value.version, slot, seen)
                return value.version
            }
            guard let made = await write(Data(), key, ifVersion: 0, for: Self.maxLifetime * 12) else { return nil }
            if let made {
                known.learn(made, slot, seen)
                return made
            }
        }
        return nil
    }

    private func advanceGeneration(at slot: Int) async -> Bool {
        let key = storeKey(ofGeneration: slot)
        let seen = known.begin(key, slot)
        guard let version = await write(Data(), key, ifVersion: nil, for: Self.maxLifetime * 12), let version else {
            return false
        }
        known.learn(version, slot, seen)
        return true
    }

    // MARK: - Edits

    /// Applies an edit to the stored record; reads it again and retries if another process changed it.
    public func apply(_ edit: CacheEdit) async -> CacheEdit.Result {
        guard let key = edit.key else {
            guard case .invalidate(let invalidation) = edit else { return .refused }
            for slot in invalidation.slots where await !advanceGeneration(at: slot) { return .failed }
            return .written
        }
        // Each retry means that another process wrote first.
        for _ in 0..<32 {
            guard let found = await lookUp(key) else { return .failed }
            var record = found.record
            let applied = record.apply(edit, at: record.generations)
            guard applied.result == .written else { return applied.result }
            if let result = await replace(found, by: record.variants, edit, key) { return result }
        }
        return .failed
    }

    /// Stores a record; `nil` if another process has changed it meanwhile.
    private func replace(
        _ found: Found,
        by variants: [CacheVariant],
        _ edit: CacheEdit,
        _ key: CacheKey
    ) async -> CacheEdit.Result? {
        let storeKey = storeKey(of: key)
        guard !variants.isEmpty else {
            guard found.version > 0 else { return .written }
            let isRemoved = await attempt { (store) throws(SharedStoreError) in
                try await store.remove(storeKey, ifVersion: found.version)
            }
            return isRemoved.map { $0 ? .written : nil } ?? .failed
        }
        let now = date().milliseconds
        // The lifetime of the longest-lived response, randomized so that records do not all expire at once.
        let end = max(found.end, now &+ Self.lifetime(of: edit).wholeMilliseconds)
        var record = CacheRecord()
        record.variants = variants
        var bytes = withUnsafeBytes(of: end.bigEndian) { Data($0) }
        bytes.append(contentsOf: RecordFormat.encode(record, key))
        guard bytes.count < SharedValue.limit / 2, let sealed = try? sealing.sealed(bytes, at: storeKey)
        else { return .refused }
        let lifetime = min(max(.milliseconds(end &- now), .seconds(1)), Self.maxLifetime)
        guard let written = await write(sealed, storeKey, ifVersion: found.version, for: lifetime) else {
            return .failed
        }
        return written == nil ? nil : .written
    }

    private static func lifetime(of edit: CacheEdit) -> Duration {
        switch edit {
        case .put(_, _, let keepFor), .renew(_, _, let keepFor):
            min(max(keepFor, .seconds(1)), maxLifetime) * Double.random(in: 0.95...1.05)
        case .remove, .invalidate: .zero
        }
    }

    private func storeKey(of key: CacheKey) -> SharedKey {
        SharedKey(kind: "cache", parts: [name, key.partition, key.url])
    }

    /// Advances the generation of a partition, or of everything: its records are no longer found, and expire.
    @discardableResult
    public func removeAll(partition: String?) async -> Bool {
        await advanceGeneration(at: partition.map { CacheKey.slot(ofPartition: $0) } ?? Self.epoch)
    }

    /// Requests the right to be the only process that sends the request to the server.
    ///
    /// Granted if the store is unavailable, unless another process was seen to hold the lease.
    public func lease(_ key: CacheKey, for time: Duration) async -> Bool {
        let storeKey = storeKey(of: key)
        let lifetime = min(max(time, .milliseconds(1)), Self.maxLifetime)
        let reply = await attempt { (store) throws(SharedStoreError) in try await store.lease(storeKey, for: lifetime) }
        guard let lease = reply else { return leaseEnds.withLock { $0[key].map { $0 <= Self.clock.now } ?? true } }
        leaseEnds.withLock { ends in
            if ends.count >= 4096 { ends.removeAll() }
            ends[key] = lease == nil ? Self.clock.time(after: lifetime) : nil
        }
        guard let lease else { return false }
        leases.withLock { leases in
            // Leases that were never released have expired by then.
            if leases.count >= 4096 { leases.removeAll() }
            leases[key] = lease
        }
        return true
    }

    /// Releases this process's lease; a lease that now belongs to another process stays.
    public func endLease(_ key: CacheKey) async {
        guard let lease = leases.withLock({ $0.removeValue(forKey: key) }) else { return }
        // 60 seconds cover the time that calls wait for other processes, and a usual request.
        await store.releaseReliably(lease, before: Self.clock.time(after: .seconds(60)), on: Self.clock)
    }

    private static let clock = CallClock.continuous

    // MARK: - The store

    private func write(_ bytes: Data, _ key: SharedKey, ifVersion version: UInt64?, for lifetime: Duration) async
        -> UInt64??
    {
        await attempt { (store) throws(SharedStoreError) in
            try await store.write(key, bytes, ifVersion: version, for: lifetime)
        }
    }

    private func attempt<Value>(_ call: (any SharedStore) async throws(SharedStoreError) -> Value) async -> Value? {
        do { return try await call(store) } catch {
            // The store was already backing off; its first failure was reported.
            if error.code != .unavailable, error.code != .cancelled {
                events(FleetEvent(.cache, .fallback, "the cache continues without the shared store", cause: error))
            }
            return nil
        }
    }
}

extension SharedCacheStorage: SharedTier {
    package var isRequired: Bool { failurePolicy == .closed }

    package func reportTimeout() {
        events(FleetEvent(.cache, .fallback, "the shared store took longer than the cache waits; it continues without"))
    }
}
