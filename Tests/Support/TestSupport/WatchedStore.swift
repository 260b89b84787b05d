package import CoreNetKitSharedStore
import CoreNetKitSystem

/// A store that does what another one does, but for what it says itself.
package protocol ForwardingStore: SharedStore {
    var store: any SharedStore { get }

    /// Called before and after each call that is passed on.
    func pass(_ step: WatchedStore.Step, _ time: WatchedStore.Time) async throws(SharedStoreError)
}

extension ForwardingStore {
    package func pass(_ step: WatchedStore.Step, _ time: WatchedStore.Time) async throws(SharedStoreError) {}

    private func passed<Value>(
        _ step: WatchedStore.Step,
        _ work: (any SharedStore) async throws(SharedStoreError) -> Value
    ) async throws(SharedStoreError) -> Value {
        try await pass(step, .before)
        let value = try await work(store)
        try await pass(step, .after)
        return value
    }

    package func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue? {
        try await passed(.read) { (store) throws(SharedStoreError) in try await store.read(key) }
    }

    package func remove(_ key: SharedKey, ifVersion version: UInt64?) async throws(SharedStoreError) -> Bool {
        try await passed(.remove) { (store) throws(SharedStoreError) in
            try await store.remove(key, ifVersion: version)
        }
    }

    package func write(
        _ key: SharedKey,
        _ bytes: Data,
        ifVersion version: UInt64?,
        for timeToLive: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        try await passed(.write) { (store) throws(SharedStoreError) in
            try await store.write(key, bytes, ifVersion: version, for: timeToLive)
        }
    }

    package func lease(_ key: SharedKey, for timeToLive: Duration) async throws(SharedStoreError) -> SharedLease? {
        try await passed(.lease) { (store) throws(SharedStoreError) in try await store.lease(key, for: timeToLive) }
    }

    package func release(_ lease: SharedLease) async throws(SharedStoreError) {
        try await passed(.release) { (store) throws(SharedStoreError) in try await store.release(lease) }
    }

    package func takeTokens(_ tokens: Int, from bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant {
        try await passed(.take) { (store) throws(SharedStoreError) in try await store.takeTokens(tokens, from: bucket) }
    }

    package func changes(of kind: String) -> AsyncStream<SharedChange> { store.changes(of: kind) }
}

/// A store as one process sees it: each call may be held, or fail, before or after it was carried out.
package final class WatchedStore: ForwardingStore {
    package enum Step: Hashable, Sendable { case read, write, remove, lease, release, take }
    package enum Time: Sendable { case before, after }

    package typealias Watch = @Sendable (Step, Time) async throws(SharedStoreError) -> Void

    package let store: any SharedStore
    private let watch = Locked<Watch?>(nil)
    private let counts = Locked<[Step: Int]>([:])
    private let ends = Locked<[Step: Int]>([:])
    private let written = Locked<SharedKey?>(nil)
    private let late = Locked<(goOn: Signal, done: Signal)?>(nil)

    package init(_ store: any SharedStore) { self.store = store }

    package func onCall(_ watch: Watch?) { self.watch.withLock { $0 = watch } }
    package func count(of step: Step) -> Int { counts.withLock { $0[step, default: 0] } }
    package func done(_ step: Step) -> Int { ends.withLock { $0[step, default: 0] } }

    package var lastWritten: SharedKey? { written.withLock { $0 } }

    package func fail(_ code: SharedStoreError.Code = .unreachable) {
        onCall { (_, _) throws(SharedStoreError) in throw SharedStoreError(code, "the test says so") }
    }

    /// What a store throws that has not replied in time.
    package static let unheard = SharedStoreError(.timedOut, "the test says so", mayBeDone: true)

    /// Something happens at each call of one step from now on, which gets its number, from 1.
    package func on(
        _ step: Step,
        _ time: Time = .before,
        _ work: @escaping @Sendable (_ count: Int) async throws(SharedStoreError) -> Void
    ) {
        let calls = Locked(0)
        onCall { (called, now) throws(SharedStoreError) in
            guard called == step, now == time else { return }
            try await work(calls.next())
        }
    }

    /// Some calls of one step are not replied to in time.
    package func lose(_ step: Step, _ time: Time = .before, where isLost: @escaping @Sendable (_ count: Int) -> Bool) {
        on(step, time) { (count) throws(SharedStoreError) in if isLost(count) { throw Self.unheard } }
    }

    /// The next write fails as one that may be done, and is done late, as a server reads what a closed connection has
    /// left: `goOn` says when, `done` that it was.
    package func delayNextWrite() -> (goOn: Signal, done: Signal) {
        let signals = (goOn: Signal(), done: Signal())
        late.withLock { $0 = signals }
        return signals
    }

    package func pass(_ step: Step, _ time: Time) async throws(SharedStoreError) {
        (time == .before ? counts : ends).withLock { $0[step, default: 0] += 1 }
        if let watch = watch.value { try await watch(step, time) }
    }

    package func write(
        _ key: SharedKey,
        _ bytes: Data,
        ifVersion version: UInt64?,
        for timeToLive: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        try await pass(.write, .before)
        if let (goOn, done) = late.withLock({ $0.take() }) {
            Task.detached { [store] in
                await goOn.wait()
                _ = try? await store.write(key, bytes, ifVersion: version, for: timeToLive)
                done.signal()
            }
            throw Self.unheard
        }
        let new = try await store.write(key, bytes, ifVersion: version, for: timeToLive)
        if new != nil { written.withLock { $0 = key } }
        try await pass(.write, .after)
        return new
    }
}
