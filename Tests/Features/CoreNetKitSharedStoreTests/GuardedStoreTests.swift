import CoreNetKitSharedStore
import TestSupport

@Suite("A guarded store", .timeLimit(.minutes(10)), .paced)
struct GuardedStoreTests {
    private let clock = ManualClock()
    private let key = SharedKey(kind: "test", "one")
    private let inner = WatchedStore(LocalStore())

    /// A store that has failed three times in a row.
    private func failing(timeout: Duration? = nil) async -> GuardedStore {
        let store = GuardedStore(inner, timeout: timeout, clock: clock)
        inner.fail(.unreachable)
        for _ in 0..<3 { #expect(await code(store) == .unreachable) }
        return store
    }

    /// Calls of a step take until they are cancelled.
    private func hang(_ step: WatchedStore.Step, _ done: Signal = Signal()) {
        inner.on(step) { _ throws(SharedStoreError) in
            try? await ManualClock().sleep(until: .init(offset: .seconds(1)))
            done.signal()
        }
    }

    private func code(_ store: GuardedStore) async -> SharedStoreError.Code? {
        await failure(SharedStoreError.self) { _ = try await store.read(key) }?.code
    }

    @Test("is left alone after three failures in a row, for 200 ms that double with each probe, up to 5 s")
    func rests() async {
        let store = await failing()
        #expect(store.isUnavailable)
        for rest in [200, 400, 800, 1600, 3200, 5000, 5000] {
            let asked = inner.count(of: .read)
            clock.advance(by: .milliseconds(rest - 1))
            #expect(await code(store) == .unavailable)
            #expect(inner.count(of: .read) == asked)
            clock.advance(by: .milliseconds(1))
            #expect(await code(store) == .unreachable)
            #expect(inner.count(of: .read) == asked + 1)
        }
        inner.onCall(nil)
        clock.advance(by: .seconds(5))
        #expect(await code(store) == nil)
        #expect(!store.isUnavailable)
        inner.fail(.unreachable)
        for _ in 0..<3 { #expect(await code(store) == .unreachable) }
        clock.advance(by: .milliseconds(200))
        #expect(await code(store) == .unreachable, "the rests begin anew")
    }

    @Test("reports when it is worth asking again")
    func retryAfter() async {
        let store = await failing()
        clock.advance(by: .milliseconds(50))
        let error = await #expect(throws: SharedStoreError.self) { try await store.read(key) }
        #expect(error?.retryAfter == .milliseconds(150))
        #expect(error?.mayBeDone == false)
    }

    @Test(
        "is not away if it refuses, and a success in between starts a new count",
        arguments: [SharedStoreError.Code.refused, .invalid, .unsupported]
    )
    func refusals(no: SharedStoreError.Code) async {
        let store = GuardedStore(inner, timeout: nil, clock: clock)
        for _ in 0..<3 {
            inner.fail(.unreachable)
            for _ in 0..<2 { #expect(await code(store) == .unreachable) }
            inner.fail(no)
            #expect(await code(store) == no)
        }
        #expect(!store.isUnavailable)
    }

    @Test("is probed by one call at a time; a cancelled probe makes room for another")
    func probes() async throws {
        let store = await failing()
        clock.advance(by: .milliseconds(200))
        let begun = Signal()
        inner.on(.read) { _ throws(SharedStoreError) in
            begun.signal()
            // Until it is cancelled.
            try? await ManualClock().sleep(until: .init(offset: .seconds(1)))
            throw SharedStoreError(.cancelled, "cancelled")
        }
        let probe = Task { await code(store) }
        await begun.wait()
        for _ in 0..<3 { #expect(await code(store) == .unavailable) }
        probe.cancel()
        #expect(await probe.value == .cancelled)
        inner.onCall(nil)
        #expect(await code(store) == nil)
    }

    @Test("is waited for until its timeout ends, and then its task is cancelled")
    func timeout() async throws {
        let cancelled = Signal()
        hang(.read, cancelled)
        let store = GuardedStore(inner, timeout: .milliseconds(20), clock: clock)
        for _ in 0..<3 {
            let call = Task { await code(store) }
            try await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(20))
            #expect(await call.value == .timedOut)
        }
        await cancelled.wait(3)
        #expect(await code(store) == .unavailable)
    }

    @Test("reports a change that was not waited for as possibly done", arguments: [true, false])
    func perhaps(writes: Bool) async throws {
        hang(writes ? .write : .read)
        let store = GuardedStore(inner, timeout: .milliseconds(20), clock: clock)
        let call = Task {
            if writes { _ = try await store.write(key, Data(), ifVersion: nil, for: .seconds(1)) }
            _ = try await store.read(key)
        }
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(20))
        let error = await #expect(throws: SharedStoreError.self) { try await call.value }
        #expect(error?.mayBeDone == writes)
    }

    @Test("keeps neither probes nor tasks from a thousand calls while it is away")
    func storm() async throws {
        let store = await failing(timeout: .milliseconds(20))
        let codes = try await concurrently(1000) { _ in await code(store) }
        #expect(Set(codes) == [.unavailable])
        #expect(inner.count(of: .read) == 3)
        #expect(clock.sleepers.isEmpty)
    }
}
