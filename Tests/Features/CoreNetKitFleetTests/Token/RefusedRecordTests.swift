import CoreNetKit
import CoreNetKitChain
@testable import CoreNetKitFleet
import CoreNetKitMock
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("A record of a login that a store does not take", .timeLimit(.minutes(10)), .paced)
struct RefusedRecordTests {
    private let clock = ManualClock()
    private let store: WatchedStore
    private let events = Recorder<FleetEvent>()
    private let ann = Partition("ann")

    init() { store = WatchedStore(LocalStore(clock: clock)) }

    private func login(_ sealing: some Sealing = .plain) -> SharedLogin {
        let settings = SharedCredentials(
            store,
            named: "tests",
            sealing: sealing,
            afterLostRefresh: .endSession,
            clock: CallClock(clock),
            events: { [events] in events.record($0) }
        )
        return SharedLogin(settings, CredentialCoding(Login.self), origins: host, problem: nil)
    }

    private func state(of login: SharedLogin) async throws -> CredentialRecord.State? {
        let key = login.key(of: ann)
        return try await store.read(key).map { try CredentialRecord($0.bytes, openedBy: PlainSealing(), at: key).state }
    }

    /// One more try, which comes by itself; `after` a time, or when it is due.
    private func nextTry(of login: SharedLogin, after time: Duration? = nil) async throws {
        try #require(login.state.withLock { $0.hasWork }, "it was given up")
        let reads = store.count(of: .read)
        try await clock.waitForSleepers(1)
        if let time { clock.advance(by: time) } else { try await clock.advanceToNextSleeper() }
        await until {
            store.count(of: .read) > reads && (!clock.sleepers.isEmpty || !login.state.withLock { $0.hasWork })
        }
    }

    @Test("because of what it is, too large for instance, is given up at once, and that is said")
    func tooLarge() async throws {
        let login = login()
        var large = Login(1)
        large.refresh = String(repeating: "r", count: SharedValue.limit)
        await login.publish(large, of: ann)
        #expect(events.values.map(\.kind) == [.abandoned])
        #expect(events.values.first?.cause?.code == .invalid)
        #expect(!login.state.withLock { $0.hasWork })
        #expect(clock.sleepers.isEmpty)
        // A refresh does not take it for stored: the store may have an older login.
        await #expect(throws: SharedStoreError.self) { try await login.storePending(of: ann) }
        #expect(events.values.count == 1)
        // The next one is another one.
        await login.publish(Login(2), of: ann)
        #expect(try await state(of: login) == .current)
        #expect(events.values.count == 1)
    }

    @Test(
        "for a reason that may pass is tried again for an hour, then given up, and that is said",
        arguments: [SharedStoreError.Code.refused, .unsupported, .corrupt]
    )
    func refused(_ code: SharedStoreError.Code) async throws {
        let login = login()
        store.fail(code)
        await login.publish(nil, of: ann)
        #expect(events.values.map(\.kind) == [.delayed])
        while login.state.withLock({ $0.hasWork }), clock.now.offset < .seconds(4000) { try await nextTry(of: login) }
        #expect(clock.now.offset >= .seconds(3600))
        #expect(clock.now.offset <= .seconds(3610))
        await until { login.state.withLock { $0.retries == nil } }
        #expect(clock.sleepers.isEmpty)
        #expect(events.values.map(\.kind) == [.delayed, .abandoned])
        #expect(events.values.last?.cause?.code == code)
        // Whoever has to do with the login tries again.
        store.onCall(nil)
        try await login.storePending(of: ann)
        #expect(try await state(of: login) == .ended)
        #expect(events.values.count == 2)
    }

    @Test("because it is away is tried again for days, at least every five seconds, also where it refuses now and then")
    func away() async throws {
        let login = login()
        store.fail()
        await login.publish(nil, of: ann)
        var longest = Duration.zero
        for count in 0..<1000 {
            store.fail([.unreachable, .timedOut, .unavailable, .refused][count % 4])
            let start = clock.now
            try await nextTry(of: login)
            longest = max(longest, start.duration(to: clock.now))
            // The machine may sleep for a night.
            if count % 100 == 50 { try await nextTry(of: login, after: .seconds(40_000)) }
        }
        #expect(longest == .seconds(5))
        #expect(events.values.map(\.kind) == [.delayed])
        store.onCall(nil)
        await until {
            if let next = clock.sleepers.first { clock.advance(to: next) }
            return !login.state.withLock { $0.hasWork }
        }
        #expect(try await state(of: login) == .ended)
    }

    /// Seals for one user alone.
    private struct PartialSealing: Sealing {
        let keyID = "plain"
        let key: SharedKey

        func seal(_ value: Data, at place: Data) throws(SealingError) -> Data {
            guard place.starts(with: Data(key.text.utf8)) else { throw SealingError(.badKey, "the test says so") }
            return value
        }

        func open(_ sealed: Data, keyID: String, at place: Data) throws(SealingError) -> Data { sealed }
    }

    @Test("of one user does not keep another's waiting, and each is tried again")
    func others() async throws {
        let login = login(PartialSealing(key: login().key(of: ann)))
        let others = (0..<20).map { Partition("user \($0)") }
        for user in others { await login.publish(Login(1), of: user) }
        #expect(events.values.map(\.kind) == others.map { _ in .delayed })
        await login.publish(Login(1), of: ann)
        #expect(events.values.count == others.count)
        #expect(try await state(of: login) == .current)
        let pending = login.state.withLock { $0.pending }
        #expect(others.allSatisfy { pending[$0] != nil })
        #expect(login.state.withLock { $0.retries } != nil)
    }

    @Test("is not given up for what came before it")
    func overtaken() async throws {
        let login = login()
        let (stopped, goOn) = (Signal(), Signal())
        store.on(.write) { (count) throws(SharedStoreError) in
            guard count == 1 else { return }
            stopped.signal()
            await goOn.wait()
            throw SharedStoreError(.invalid, "the test says so")
        }
        let first = Task { await login.publish(Login(1), of: ann) }
        await stopped.wait()
        let second = Task { await login.publish(nil, of: ann) }
        await until { login.hasLogout(of: ann) }
        goOn.signal()
        await first.value
        await second.value
        #expect(try await state(of: login) == .ended)
        #expect(!events.values.contains { $0.kind == .abandoned })
    }

    // MARK: - What is there and cannot be read

    @Test("what cannot be read is no record: who knows one writes it again, the first of all, with number 0, as well")
    func damaged() async throws {
        for (number, bytes) in [(0, Data()), (0, Data("what is this?".utf8)), (5, Data([1, 1])), (5, Data(count: 40))] {
            let login = login()
            let key = login.key(of: ann)
            _ = login.enter(ann)
            let known = CredentialRecord(.intention, UInt64(number), lease: 3, credential: Data("r".utf8))
            login.state.withLock { $0.rules.learn(known) }
            _ = try await store.write(key, bytes, over: nil, for: .seconds(60))
            await login.restore(key)
            let stored = try #require(try await store.read(key))
            #expect(try CredentialRecord(stored.bytes, openedBy: PlainSealing(), at: key) == known)
        }
    }
}
