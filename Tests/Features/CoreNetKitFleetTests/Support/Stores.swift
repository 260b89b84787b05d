import CoreNetKitFleet
import TestSupport

/// A store that does what another one does, but for what it says itself.
protocol ForwardingStore: SharedStore {
    var store: any SharedStore { get }

    /// Called before and after each call that is passed on.
    func pass(_ step: WatchedStore.Step, _ time: WatchedStore.Time) async throws(SharedStoreError)
}

extension ForwardingStore {
    func pass(_ step: WatchedStore.Step, _ time: WatchedStore.Time) async throws(SharedStoreError) {}

    private func passed<Value>(
        _ step: WatchedStore.Step,
        _ work: (any SharedStore) async throws(SharedStoreError) -> Value
    ) async throws(SharedStoreError) -> Value {
        try await pass(step, .before)
        let value = try await work(store)
        try await pass(step, .after)
        return value
    }

    func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue? {
        try await passed(.read) { (store) throws(SharedStoreError) in try await store.read(key) }
    }

    func remove(_ key: SharedKey, ifVersion version: UInt64?) async throws(SharedStoreError) -> Bool {
        try await passed(.remove) { (store) throws(SharedStoreError) in
            try await store.remove(key, ifVersion: version)
        }
    }

    func write(
        _ key: SharedKey,
        _ bytes: Data,
        ifVersion version: UInt64?,
        for timeToLive: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        try await passed(.write) { (store) throws(SharedStoreError) in
            try await store.write(key, bytes, ifVersion: version, for: timeToLive)
        }
    }

    func lease(_ key: SharedKey, for timeToLive: Duration) async throws(SharedStoreError) -> SharedLease? {
        try await passed(.lease) { (store) throws(SharedStoreError) in try await store.lease(key, for: timeToLive) }
    }

    func release(_ lease: SharedLease) async throws(SharedStoreError) {
        try await passed(.release) { (store) throws(SharedStoreError) in try await store.release(lease) }
    }

    func takeTokens(_ tokens: Int, from bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant {
        try await passed(.take) { (store) throws(SharedStoreError) in try await store.takeTokens(tokens, from: bucket) }
    }

    func changes(of kind: String) -> AsyncStream<SharedChange> { store.changes(of: kind) }
}

extension SharedStore {
    func record(at key: SharedKey) async throws -> CredentialRecord? {
        try await read(key).map { try CredentialRecord($0.bytes, openedBy: PlainSealing.plain, at: key) }
    }
}

extension LocalStore {
    static func onManualClock() -> (clock: ManualClock, store: LocalStore) {
        let clock = ManualClock()
        return (clock, LocalStore(clock: clock))
    }
}

/// A store as one process sees it: each call may be held, or fail, before or after it was carried out.
final class WatchedStore: ForwardingStore {
    enum Step: Hashable, Sendable { case read, write, remove, lease, release, take }
    enum Time: Sendable { case before, after }

    typealias Watch = @Sendable (Step, Time) async throws(SharedStoreError) -> Void

    let store: any SharedStore
    private let watch = Locked<Watch?>(nil)
    private let counts = Locked<[Step: Int]>([:])
    private let ends = Locked<[Step: Int]>([:])
    private let written = Locked<SharedKey?>(nil)
    private let late = Locked<(goOn: Signal, done: Signal)?>(nil)

    init(_ store: any SharedStore) { self.store = store }

    func onCall(_ watch: Watch?) { self.watch.withLock { $0 = watch } }
    func count(of step: Step) -> Int { counts.withLock { $0[step, default: 0] } }
    func done(_ step: Step) -> Int { ends.withLock { $0[step, default: 0] } }

    var lastWritten: SharedKey? { written.withLock { $0 } }

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
            try await work(calls.next())
        }
    }

    /// Some calls of one step are not replied to in time.
    func lose(_ step: Step, _ time: Time = .before, where isLost: @escaping @Sendable (_ count: Int) -> Bool) {
        on(step, time) { (count) throws(SharedStoreError) in if isLost(count) { throw Self.unheard } }
    }

    /// The next write fails as one that may be done, and is done late, as a server reads what a closed connection has
    /// left:
    /// `goOn` says when, `done` that it was.
    func delayNextWrite() -> (goOn: Signal, done: Signal) {
        let signals = (goOn: Signal(), done: Signal())
        late.withLock { $0 = signals }
        return signals
    }

    func pass(_ step: Step, _ time: Time) async throws(SharedStoreError) {
        (time == .before ? counts : ends).withLock { $0[step, default: 0] += 1 }
        if let watch = watch.value { try await watch(step, time) }
    }

    func write(
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

/// A store that can lose what it knows, as a server does that comes back without its data.
final class ForgetfulStore: ForwardingStore {
    private let current: Locked<LocalStore>
    private let clock: ManualClock
    private let readers = Locked<[Signal]>([])
    /// How often a reader of changes has asked for the next one: what came before has been read then.
    let asked = Signal()

    init(_ clock: ManualClock = ManualClock()) { (self.clock, current) = (clock, Locked(LocalStore(clock: clock))) }

    func forget() { current.withLock { $0 = LocalStore(clock: clock) } }

    /// Connections were lost, and are there again.
    func tell() { for reader in readers.withLock({ $0 }) { reader.signal() } }

    /// Comes back empty.
    func restart() {
        forget()
        tell()
    }

    var store: any SharedStore { current.withLock { $0 } }

    func changes(of kind: String) -> AsyncStream<SharedChange> {
        // One of its own: who leaves while it waits ends nobody else's wait.
        let (told, count) = (Signal(), Locked(0))
        readers.withLock { $0.append(told) }
        return AsyncStream { [asked] in
            let number = count.next()
            asked.signal()
            if number > 1 { await told.wait(number - 1) }
            return Task.isCancelled ? nil : .all
        }
    }
}
