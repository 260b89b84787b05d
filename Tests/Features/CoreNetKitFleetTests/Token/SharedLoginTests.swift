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

@Suite("A shared login, step by step", .timeLimit(.minutes(10)), .paced)
struct SharedLoginTests {
    private let clock = ManualClock()
    private let store: WatchedStore
    private let events = Recorder<FleetEvent>()
    private let login: SharedLogin
    private let ann = Partition("ann")
    private let bob = Partition("bob")

    init() {
        store = WatchedStore(LocalStore(clock: clock))
        login = Self.login(in: store, clock, events)
    }

    private static func login(
        in store: any SharedStore,
        _ clock: ManualClock,
        _ events: Recorder<FleetEvent>
    ) -> SharedLogin {
        let settings = SharedCredentials(
            store,
            named: "tests",
            sealing: .plain,
            afterLostRefresh: .endSession,
            clock: CallClock(clock),
            events: { events.record($0) }
        )
        return SharedLogin(settings, CredentialCoding(Login.self), origins: host, problem: nil)
    }

    private func renewed(
        _ current: any TokenCredential = Login(0),
        of user: Partition? = nil,
        by refresh: @escaping CredentialSharing.Refresh = { _ in Login(1) }
    ) async throws -> any TokenCredential {
        try await login.renewed(current, of: user ?? ann, date: { Date() }, by: refresh)
    }

    /// A credential of another type than the refresher's.
    private struct Odd: TokenCredential {
        let accessToken = AccessToken("odd")
    }

    // MARK: - What goes wrong

    @Test(
        "whose renewal is cancelled gives its lease back, while it waits and while it asks the store",
        arguments: [true, false]
    )
    func cancelled(waits: Bool) async throws {
        let reached = Signal()
        store.on(.read) { (count) throws(SharedStoreError) in
            // The second look is that of the process with the lease.
            guard count == 2 else { return }
            reached.signal()
            if waits { throw WatchedStore.unheard }
            while !Task.isCancelled { await Task.yield() }
        }
        let call = Task { try await renewed() }
        await reached.wait()
        if waits { try await clock.waitForSleepers(1) }
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        #expect(store.done(.release) == 1)
        #expect(try await store.lease(login.key(of: ann), for: .seconds(1)) != nil)
    }

    @Test("that cannot be encoded gives its lease back, and spends nothing")
    func oddCredential() async throws {
        await #expect(throws: (any Error).self) {
            try await renewed(Odd()) { _ in
                Issue.record("it was spent")
                return Login(1)
            }
        }
        #expect(store.done(.release) == 1)
    }

    @Test("whose new credential cannot be encoded is used by this process, which says that the others do not get it")
    func oddResult() async throws {
        #expect(try await renewed { _ in Odd() } is Odd)
        #expect(events.values.map(\.kind) == [.abandoned])
    }

    @Test("is being sent from the record until the response, and at no other time")
    func isSending() async throws {
        #expect(!login.isSending)
        let wasSending = Locked(false)
        _ = try await renewed { [login] _ in
            wasSending.withLock { $0 = login.isSending }
            return Login(1)
        }
        #expect(wasSending.withLock { $0 })
        #expect(!login.isSending)
    }

    // MARK: - Two users

    @Test("is not remembered as another user's, who came while it was renewed")
    func userDuringRefresh() async throws {
        _ = try await renewed { [login, bob] _ in
            _ = login.enter(bob)
            return Login(1)
        }
        #expect(login.state.withLock { $0.rules.last } == nil)
        #expect(login.state.withLock { $0.user } == bob)
    }

    @Test("that is stored later is not remembered as another user's, who came meanwhile")
    func userBeforeWrite() async throws {
        store.fail()
        await login.publish(Login(1), of: ann)
        _ = login.enter(bob)
        store.onCall(nil)
        try await login.storePending(of: bob)
        #expect(store.done(.write) == 1)
        #expect(login.state.withLock { $0.user } == bob)
        #expect(login.state.withLock { $0.rules.last } == nil)
    }

    @Test("that the store may have lost makes nobody wait but its user")
    func userAfterLoss() async throws {
        await login.publish(Login(1), of: ann)
        login.noteLoss()
        #expect(login.isQuiet(.spend(stored: true)))
        _ = login.enter(bob)
        #expect(!login.isQuiet(.spend(stored: false)))
        // Nor does the loss of what this process does not know.
        login.noteLoss()
        #expect(!login.isQuiet(.spend(stored: false)))
    }

    @Test("is listened for as long as its user is there, and no longer")
    func listenedFor() {
        for number in 0..<100 { _ = login.enter(Partition("user \(number)")) }
        #expect(login.settings.lossMonitor.count == 1)
    }

    // MARK: - A store that may have lost it

    @Test(
        "of a store that may have lost it is not renewed until it was compared, and a lease and three seconds have passed"
    )
    func uncompared() async throws {
        // Stored by another process before this one listens: no change of its own makes this one compare.
        await Self.login(in: store, clock, events).publish(Login(0), of: ann)
        let key = login.key(of: ann)
        let stored = try #require(try await store.read(key))
        let record = try CredentialRecord(stored.bytes, openedBy: PlainSealing(), at: key)
        _ = login.enter(ann)
        login.state.withLock { $0.rules.learn(record) }
        login.noteLoss()
        let spends = Locked(0)
        let call = Task {
            try await renewed { _ in
                spends.withLock { $0 += 1 }
                return Login(1)
            }
        }
        // Longer than the wait that begins with the comparison.
        while clock.now.offset < .seconds(20), spends.withLock({ $0 }) == 0 {
            if let next = clock.sleepers.first { clock.advance(to: next) }
            await Task.yield()
        }
        #expect(spends.withLock { $0 } == 0)
        let compared = clock.now
        await login.restore(key)
        _ = try await clock.polling { try await call.value }
        #expect(spends.withLock { $0 } == 1)
        #expect(compared.duration(to: clock.now) >= .seconds(13))
    }

    @Test(
        "that others wait for is told at least twice a second; a new one, or one that is refused, every five seconds",
        arguments: [
            (true, SharedStoreError.Code.unreachable, Duration.milliseconds(500)),
            (true, .refused, .seconds(5)),
            (false, .unreachable, .seconds(5)),
        ]
    )
    func pauses(isKnown: Bool, code: SharedStoreError.Code, longest: Duration) async throws {
        if isKnown { await login.publish(Login(1), of: ann) }
        store.fail(code)
        let task = Task { [login, ann] in
            if isKnown { await login.restore(login.key(of: ann)) } else { await login.publish(Login(1), of: ann) }
        }
        await task.value
        var pauses: [Duration] = []
        for _ in 0..<12 {
            let reads = store.count(of: .read)
            try await clock.waitForSleepers(1)
            let start = clock.now
            pauses.append(start.duration(to: try await clock.advanceToNextSleeper()))
            await until { store.count(of: .read) > reads }
        }
        #expect(pauses.first == .milliseconds(100))
        #expect(pauses.max() == longest)
    }

    @Test("of a store that does not report changes cannot be told again, and that is said")
    func deaf() async throws {
        let server = PlayedServer { $0.prefix(2) == ["CLIENT", "TRACKING"] ? "-NOPERM no\r\n" : nil }
        let login = Self.login(in: server.store(clock: clock), clock, events)
        _ = login.enter(ann)
        await until { !events.values.isEmpty }
        #expect(events.values.map(\.kind) == [.fallback])
        #expect(events.values.first?.message.contains("changes") == true)
    }
}
