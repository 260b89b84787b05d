package import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitSystem

/// A store whose calls have a timeout, and are skipped while it is unavailable.
///
/// After three consecutive failures the store rests for 200 ms; then one call at a time probes whether it is back, and
/// each failure doubles the rest, up to 5 s. Other calls throw ``SharedStoreError/Code/unavailable`` at once. A failure is an
/// error with ``SharedStoreError/isUnavailable``; a store that refuses a call is available. `ValkeyStore` includes this
/// behaviour.
public final class GuardedStore: SharedStore {
    private let store: any SharedStore
    private let timeout: Duration?
    private let clock: CallClock
    private let timers: TimerQueue
    private let backoff = Locked(StoreBackoff())

    /// Wraps a store.
    ///
    /// After the timeout the task of a call is cancelled, and `timedOut` is thrown; `nil` if the store has its own timeout.
    public convenience init(
        _ store: any SharedStore,
        timeout: Duration?,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(store, timeout: timeout, on: CallClock(clock))
    }

    package init(_ store: any SharedStore, timeout: Duration?, on clock: CallClock) {
        (self.store, self.timeout, self.clock) = (store, timeout, clock)
        timers = TimerQueue(clock)
    }

    /// Whether the store is backing off after failures.
    public var isUnavailable: Bool { backoff.withLock(\.isResting) }

    package func noteBack() { backoff.withLock { $0.succeeded() } }

    /// Reads a value.
    public func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue? {
        try await perform(false) { (store) throws(SharedStoreError) in try await store.read(key) }
    }

    /// Writes a value if the current version is the expected one.
    public func write(
        _ key: SharedKey,
        _ bytes: Data,
        ifVersion version: UInt64?,
        for timeToLive: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        try await perform { (store) throws(SharedStoreError) in
            try await store.write(key, bytes, ifVersion: version, for: timeToLive)
        }
    }

    /// Removes a value.
    public func remove(_ key: SharedKey, ifVersion version: UInt64?) async throws(SharedStoreError) -> Bool {
        try await perform { (store) throws(SharedStoreError) in try await store.remove(key, ifVersion: version) }
    }

    /// Takes a lease.
    public func lease(_ key: SharedKey, for timeToLive: Duration) async throws(SharedStoreError) -> SharedLease? {
        let end = clock.time(after: timeToLive)
        return try await perform { (store) throws(SharedStoreError) in
            try await store.lease(key, for: timeToLive)
        } late: { [store, clock] result in
            // The caller has given up on this lease, so it is released: other processes would wait for its end.
            guard case .success(let lease?) = result else { return }
            Task.apart { await store.releaseReliably(lease, before: end, on: clock) }
        }
    }

    /// Releases a lease.
    public func release(_ lease: SharedLease) async throws(SharedStoreError) {
        try await perform { (store) throws(SharedStoreError) in try await store.release(lease) }
    }

    /// Takes tokens from a bucket, all or none.
    public func takeTokens(_ tokens: Int, from bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant {
        try await perform { (store) throws(SharedStoreError) in try await store.takeTokens(tokens, from: bucket) }
    }

    /// The changes that the store reports.
    public func changes(of kind: String) -> AsyncStream<SharedChange> { store.changes(of: kind) }

    // MARK: - Calls

    private func perform<Value: Sendable>(
        _ changes: Bool = true,
        _ call: @escaping @Sendable (any SharedStore) async throws(SharedStoreError) -> Value,
        late: @escaping @Sendable (Result<Value, SharedStoreError>) -> Void = { _ in }
    ) async throws(SharedStoreError) -> Value {
        try SharedStoreError.checkCancellation()
        let isProbe = try backoff.withLock { (backoff) throws(SharedStoreError) in try backoff.enter(at: clock.now) }
        let result = await result(of: call, changes, late)
        backoff.withLock { backoff in
            switch result {
            case .failure(let error) where error.isUnavailable: backoff.failed(isProbe: isProbe, at: clock.now)
            case .failure(let error) where error.code == .cancelled: backoff.cancel(isProbe: isProbe)
            case .success, .failure: backoff.succeeded()
            }
        }
        return try result.get()
    }

    private func result<Value: Sendable>(
        of call: @escaping @Sendable (any SharedStore) async throws(SharedStoreError) -> Value,
        _ changes: Bool,
        _ late: @escaping @Sendable (Result<Value, SharedStoreError>) -> Void
    ) async -> Result<Value, SharedStoreError> {
        let work = { @Sendable [store] () async -> Result<Value, SharedStoreError> in
            do throws(SharedStoreError) { return .success(try await call(store)) } catch { return .failure(error) }
        }
        guard let timeout else { return await work() }
        let waiter = Waiter<Result<Value, SharedStoreError>>()
        let task = Task.startImmediately {
            let result = await work()
            if !waiter.resume(.success(result)) { late(result) }
        }
        let ticket = timers.set(at: clock.time(after: timeout)) {
            let error = SharedStoreError(.timedOut, "the store took longer than \(timeout)", mayBeDone: changes)
            waiter.resume(.success(.failure(error)))
        }
        defer {
            timers.cancel(ticket)
            task.cancel()
        }
        do { return try await waiter.value() } catch {
            return .failure(SharedStoreError(.cancelled, "the task was cancelled", mayBeDone: changes))
        }
    }
}

/// Decides whether a failing store is called: after three consecutive failures it rests, longer each time.
struct StoreBackoff: Sendable {
    static let failures = 3
    static let shortest = Duration.milliseconds(200)
    static let longest = Duration.seconds(5)

    private var inARow = 0
    private var length = StoreBackoff.shortest
    private var end: Duration?
    private var isProbed = false

    var isResting: Bool { end != nil }

    /// Lets a call through, or throws `unavailable` while the store rests; returns whether it is the probe.
    mutating func enter(at now: Duration) throws(SharedStoreError) -> Bool {
        guard let end else { return false }
        guard now >= end, !isProbed else {
            let message =
                "the store has failed \(StoreBackoff.failures) or more times in a row and is not asked for now"
            throw SharedStoreError(.unavailable, message, retryAfter: max(end - now, .zero))
        }
        isProbed = true
        return true
    }

    mutating func succeeded() { self = StoreBackoff() }

    mutating func failed(isProbe: Bool, at now: Duration) {
        if isProbe {
            isProbed = false
            length = length.doubled(1, upTo: StoreBackoff.longest)
            end = now + length
        } else {
            inARow += 1
            if end == nil, inARow >= StoreBackoff.failures { end = now + length }
        }
    }

    /// Ends a call that was cancelled, which says nothing about the store.
    mutating func cancel(isProbe: Bool) { if isProbe { isProbed = false } }
}

extension CallClock {
    /// Repeats background work until it is done or the time is over: after 100 ms, then after longer pauses up to 5 s.
    package func repeating(until end: Duration, _ work: @escaping @Sendable () async -> Bool) {
        Task.apart {
            var pause = Duration.milliseconds(100)
            while now + pause < end {
                guard (try? await sleep(until: time(after: pause))) != nil else { return }
                if await work() { return }
                pause = min(pause * 2, .seconds(5))
            }
        }
    }
}

extension SharedStore {
    /// Releases a lease, even in a cancelled task, and retries until its end if the store is unavailable: until then every other
    /// process waits for a holder that has finished.
    package func releaseReliably(_ lease: SharedLease, before end: Duration, on clock: CallClock) async {
        let isReleased = await Task.startSeparately { (try? await self.release(lease)) != nil }.value
        if !isReleased { clock.repeating(until: end) { (try? await self.release(lease)) != nil } }
    }
}
