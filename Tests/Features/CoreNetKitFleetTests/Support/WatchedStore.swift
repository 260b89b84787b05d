import CoreNetKitFleet
import CoreNetKitSharedStore
import CoreNetKitSystem
import Foundation
import TestSupport

/// A store as one process sees it: each call may be held, or fail, before or after it was carried out.
final class WatchedStore: SharedStore {
    enum Step: Hashable, Sendable { case read, write, remove, lease, release, take }
    enum Time: Sendable { case before, after }

    typealias Watch = @Sendable (Step, Time) async throws(SharedStoreError) -> Void

    private let base: any SharedStore
    private let watch = Locked<Watch?>(nil)
    private let counts = Locked<[Step: Int]>([:])
    private let ends = Locked<[Step: Int]>([:])
    private let written = Locked<SharedKey?>(nil)
    private let late = Locked<(goOn: Signal, done: Signal)?>(nil)

    init(_ base: any SharedStore) { self.base = base }

    func onCall(_ watch: Watch?) { self.watch.withLock { $0 = watch } }
    /// How many calls began.
    func count(of step: Step) -> Int { counts.withLock { $0[step, default: 0] } }
    /// How many calls were carried out.
    func done(_ step: Step) -> Int { ends.withLock { $0[step, default: 0] } }

    /// Where something was written last.
    var lastWritten: SharedKey? { written.withLock { $0 } }

    /// Every call fails from now on.
    func fail(_ code: SharedStoreError.Code = .unreachable) {
        onCall { (_, _) throws(SharedStoreError) in throw SharedStoreError(code, "the test says so") }
    }

    /// What a store throws that has not replied in time.
    static let unheard = SharedStoreError(.timedOut, "the test says so", mayBeDone: true)

    /// Something happens at each call of one step from now on, which gets its number, from 1.
    func on(
        _ step: Step,
        _ time: Time = .before,
        _ work: @escaping @Sendable (_ count: Int) async throws(SharedStoreError) -> Void
    ) {
        let calls = Locked(0)
        onCall { (called, now) throws(SharedStoreError) in
            guard called == step, now == time else { return }
            let count = calls.withLock { count in
                count += 1
                return count
            }
            try await work(count)
        }
    }

    /// The next write fails as one that may be done, and is done late, as a server reads what a closed connection has left.
    ///
    /// - Returns: When it is to be done, and that it was.
    func delayNextWrite() -> (goOn: Signal, done: Signal) {
        let signals = (goOn: Signal(), done: Signal())
        late.withLock { $0 = signals }
        return signals
    }

    private func pass(_ step: Step, _ time: Time) async throws(SharedStoreError) {
        (time == .before ? counts : ends).withLock { $0[step, default: 0] += 1 }
        if let watch = watch.withLock({ $0 }) { try await watch(step, time) }
    }

    func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue? {
        try await pass(.read, .before)
        let value = try await base.read(key)
        try await pass(.read, .after)
        return value
    }

    func write(
        _ key: SharedKey,
        _ bytes: Data,
        over version: UInt64?,
        for life: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        try await pass(.write, .before)
        if let (goOn, done) = late.withLock({ $0.take() }) {
            Task.detached { [base] in
                await goOn.wait()
                _ = try? await base.write(key, bytes, over: version, for: life)
                done.signal()
            }
            throw SharedStoreError(.timedOut, "the test says so", mayBeDone: true)
        }
        let new = try await base.write(key, bytes, over: version, for: life)
        if new != nil { written.withLock { $0 = key } }
        try await pass(.write, .after)
        return new
    }

    func remove(_ key: SharedKey, over version: UInt64?) async throws(SharedStoreError) -> Bool {
        try await pass(.remove, .before)
        let isRemoved = try await base.remove(key, over: version)
        try await pass(.remove, .after)
        return isRemoved
    }

    func lease(_ key: SharedKey, for life: Duration) async throws(SharedStoreError) -> SharedLease? {
        try await pass(.lease, .before)
        let lease = try await base.lease(key, for: life)
        try await pass(.lease, .after)
        return lease
    }

    func release(_ lease: SharedLease) async throws(SharedStoreError) {
        try await pass(.release, .before)
        try await base.release(lease)
        try await pass(.release, .after)
    }

    func take(_ tokens: Int, of bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant {
        try await pass(.take, .before)
        let grant = try await base.take(tokens, of: bucket)
        try await pass(.take, .after)
        return grant
    }

    func changes(of kind: String) -> AsyncStream<SharedChange> { base.changes(of: kind) }
}

/// A store that can lose what it knows, as a server does that comes back without its data.
final class ForgetfulStore: SharedStore {
    private let current: Locked<LocalStore>
    private let make: @Sendable () -> LocalStore
    private let readers = Locked<[Signal]>([])
    /// How often a reader of changes has asked for the next one: what came before has been read then.
    let asked = Signal()

    init(_ make: @escaping @Sendable () -> LocalStore) {
        self.make = make
        current = Locked(make())
    }

    /// An empty store takes its place.
    func forget() {
        let new = make()
        current.withLock { $0 = new }
    }

    /// Connections were lost, and are there again.
    func tell() { for reader in readers.withLock({ $0 }) { reader.signal() } }

    private var store: LocalStore { current.withLock { $0 } }

    func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue? { try await store.read(key) }

    func write(
        _ key: SharedKey,
        _ bytes: Data,
        over version: UInt64?,
        for life: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        try await store.write(key, bytes, over: version, for: life)
    }

    func remove(_ key: SharedKey, over version: UInt64?) async throws(SharedStoreError) -> Bool {
        try await store.remove(key, over: version)
    }

    func lease(_ key: SharedKey, for life: Duration) async throws(SharedStoreError) -> SharedLease? {
        try await store.lease(key, for: life)
    }

    func release(_ lease: SharedLease) async throws(SharedStoreError) { try await store.release(lease) }

    func take(_ tokens: Int, of bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant {
        try await store.take(tokens, of: bucket)
    }

    func changes(of kind: String) -> AsyncStream<SharedChange> {
        // One of its own: who leaves while it waits ends nobody else's wait.
        let (told, count) = (Signal(), Locked(0))
        readers.withLock { $0.append(told) }
        return AsyncStream { [asked] in
            let number = count.withLock { count in
                count += 1
                return count
            }
            asked.signal()
            // The first one says that changes are heard of.
            if number > 1 { await told.wait(number - 1) }
            return Task.isCancelled ? nil : .all
        }
    }
}
