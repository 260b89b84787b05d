import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitSystem

/// A store in the process, for several clients of one process, and for tests and examples without a server.
///
/// Calls never wait, and only invalid or cancelled calls fail. Expired data is removed; everything else stays in memory.
public final class LocalStore: SharedStore {
    private struct State: Sendable {
        var values = ExpiringDictionary<SharedValue>()
        var leases = ExpiringDictionary<SharedLease>()
        var buckets = ExpiringDictionary<BucketLevel>()
        /// One counter for all keys: no number is used twice.
        var lastNumber: UInt64 = 0

        mutating func nextNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Locked(State())
    private let clock: CallClock
    private let feed = ChangeFeed()

    /// Creates an empty store; the clock is that for lifetimes and rates.
    public init(clock: some Clock<Duration> = ContinuousClock()) { self.clock = CallClock(clock) }

    /// The number of entries in memory, including expired ones that were not removed yet.
    package var count: Int { state.withLock { $0.values.count + $0.leases.count + $0.buckets.count } }

    /// Reads a value.
    public func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue? {
        try SharedStoreError.checkCancellation()
        return state.withLock { $0.values.find(key, at: clock.now) }
    }

    /// Writes a value if the current version is the expected one.
    public func write(
        _ key: SharedKey,
        _ bytes: Data,
        ifVersion version: UInt64?,
        for timeToLive: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        try SharedStoreError.checkCancellation()
        _ = try timeToLive.lifeInMilliseconds()
        try SharedValue.check(size: bytes.count)
        let written = state.withLock { state -> UInt64? in
            let now = clock.now
            guard version == nil || version == state.values.find(key, at: now)?.version ?? 0 else { return nil }
            let value = SharedValue(bytes: bytes, version: state.nextNumber())
            state.values.put(value, under: key, until: now + timeToLive.bounded, at: now)
            return value.version
        }
        if written != nil { feed.notify(key) }
        return written
    }

    /// Removes a value.
    public func remove(_ key: SharedKey, ifVersion version: UInt64?) async throws(SharedStoreError) -> Bool {
        try SharedStoreError.checkCancellation()
        let isRemoved = state.withLock { state in
            guard let value = state.values.find(key, at: clock.now), version == nil || version == value.version else {
                return false
            }
            state.values.remove(key)
            return true
        }
        if isRemoved { feed.notify(key) }
        return isRemoved
    }

    /// Takes a lease: no other owner gets one for the key until it is released or has expired.
    public func lease(_ key: SharedKey, for timeToLive: Duration) async throws(SharedStoreError) -> SharedLease? {
        try SharedStoreError.checkCancellation()
        _ = try timeToLive.lifeInMilliseconds()
        return state.withLock { state in
            let now = clock.now
            guard state.leases.find(key, at: now) == nil else { return nil }
            let number = state.nextNumber()
            let lease = SharedLease(key: key, owner: "local-\(number)", fencingToken: number)
            state.leases.put(lease, under: key, until: now + timeToLive.bounded, at: now)
            return lease
        }
    }

    /// Releases a lease; a lease that has expired or belongs to another owner is left unchanged.
    public func release(_ lease: SharedLease) async throws(SharedStoreError) {
        try SharedStoreError.checkCancellation()
        state.withLock { state in
            if state.leases.find(lease.key, at: clock.now)?.owner == lease.owner { state.leases.remove(lease.key) }
        }
    }

    /// Takes tokens from a bucket, all or none.
    public func takeTokens(_ tokens: Int, from bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant {
        try SharedStoreError.checkCancellation()
        try bucket.check(taking: tokens)
        return state.withLock { state in
            let now = clock.now
            var level = state.buckets.find(bucket.key, at: now) ?? BucketLevel()
            let grant = level.take(tokens, of: bucket, at: now.wholeMicroseconds)
            // A full bucket need not be stored.
            let end = Duration.microseconds(level.fullAt + 1)
            if case .granted = grant { state.buckets.put(level, under: bucket.key, until: end, at: now) }
            return grant
        }
    }

    /// Reports values that were written or removed, but not expired ones; readers detect those themselves.
    public func changes(of kind: String) -> AsyncStream<SharedChange> { feed.stream(of: kind) { true } }
}

extension SharedStoreError {
    package static func checkCancellation() throws(SharedStoreError) {
        if Task.isCancelled { throw SharedStoreError(.cancelled, "the task was cancelled before the store was asked") }
    }
}

/// A dictionary whose entries expire; expired ones are removed when the number of entries has doubled.
struct ExpiringDictionary<Value: Sendable>: Sendable {
    private var entries: [SharedKey: (value: Value, end: Duration)] = [:]
    private var sweepsAt = 1024

    var count: Int { entries.count }

    func find(_ key: SharedKey, at now: Duration) -> Value? {
        guard let entry = entries[key], now < entry.end else { return nil }
        return entry.value
    }

    mutating func put(_ value: Value, under key: SharedKey, until end: Duration, at now: Duration) {
        entries[key] = (value, end)
        guard entries.count >= sweepsAt else { return }
        entries = entries.filter { now < $0.value.end }
        sweepsAt = max(1024, entries.count * 2)
    }

    mutating func remove(_ key: SharedKey) { entries[key] = nil }
}
