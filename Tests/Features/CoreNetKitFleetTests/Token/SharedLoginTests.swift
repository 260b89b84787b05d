import TestSupport

@testable import CoreNetKitFleet

@Suite("A shared login, step by step", .timeLimit(.minutes(10)), .paced)
struct SharedLoginTests {
    private var (clock, store, events, login) = SharedLogin.watched()
    private var (ann, bob) = (Partition("ann"), Partition("bob"))

    private func renew(
        _ current: any TokenCredential = Login(0),
        of user: Partition? = nil,
        by refresh: @escaping CredentialSharing.Refresh = { _ in Login(1) }
    ) async throws -> any TokenCredential {
        try await login.renew(current, of: user ?? ann, date: { Date() }, by: refresh)
    }

    /// A credential of another type than the refresher's.
    private struct Odd: TokenCredential {
        let accessToken = AccessToken("odd")
    }

    @Test(
        "whose renewal is cancelled gives its lease back, while it waits and while it asks",
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
        let call = Task { try await renew() }
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
            try await renew(Odd()) { _ in
                Issue.record("it was spent")
                return Login(1)
            }
        }
        #expect(store.done(.release) == 1)
    }

    @Test("whose new credential cannot be encoded is used by this process, which says that the others do not get it")
    func oddResult() async throws {
        #expect(try await renew { _ in Odd() } is Odd)
        #expect(events.values.map(\.kind) == [.abandoned])
    }

    @Test("is being sent from the record until the response, and at no other time")
    func isSending() async throws {
        #expect(!login.isSending)
        let wasSending = Locked(false)
        _ = try await renew { [login] _ in
            wasSending.withLock { $0 = login.isSending }
            return Login(1)
        }
        #expect(wasSending.withLock { $0 })
        #expect(!login.isSending)
    }

    @Test("is not remembered as another user's, who came while it was renewed")
    func userDuringRefresh() async throws {
        _ = try await renew { [login, bob] _ in
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
        #expect(login.mustWait(after: .spend(stored: true)))
        _ = login.enter(bob)
        #expect(!login.mustWait(after: .spend(stored: false)))
        // Nor does the loss of what this process does not know.
        login.noteLoss()
        #expect(!login.mustWait(after: .spend(stored: false)))
    }

    @Test("is listened for as long as its user is there, and no longer")
    func listenedFor() {
        for number in 0..<100 { _ = login.enter(Partition("user \(number)")) }
        #expect(login.settings.lossMonitor.count == 1)
    }

    @Test("that a store may have lost is not renewed until it was compared, and a lease and three seconds passed")
    func uncompared() async throws {
        // Stored by another process before this one listens: no change of its own makes this one compare.
        await SharedLogin(in: store, clock, events).publish(Login(0), of: ann)
        let key = login.key(of: ann)
        let record = try #require(try await store.record(at: key))
        _ = login.enter(ann)
        login.state.withLock { $0.rules.learn(record) }
        login.noteLoss()
        let spends = Locked(0)
        let call = Task {
            try await renew { _ in
                spends.withLock { $0 += 1 }
                return Login(1)
            }
        }
        // Longer than the wait that begins with the comparison.
        await clock.advance { clock.now.offset >= .seconds(20) || spends.withLock { $0 } > 0 }
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
        let login = SharedLogin(in: server.store(clock: clock), clock, events)
        _ = login.enter(ann)
        await until { !events.values.isEmpty }
        #expect(events.values.map(\.kind) == [.fallback])
        #expect(events.values.first?.message.contains("changes") == true)
    }
}

extension SharedLogin {
    fileprivate static func watched() -> (ManualClock, WatchedStore, Recorder<FleetEvent>, SharedLogin) {
        let ((clock, local), events) = (LocalStore.onManualClock(), Recorder<FleetEvent>())
        let store = WatchedStore(local)
        return (clock, store, events, SharedLogin(in: store, clock, events))
    }

    fileprivate convenience init(
        in store: any SharedStore,
        sealing: some Sealing = .plain,
        _ clock: ManualClock,
        _ events: Recorder<FleetEvent>
    ) {
        let settings = SharedCredentials(
            store,
            named: "tests",
            sealing: sealing,
            afterLostRefresh: .endSession,
            clock: CallClock(clock),
            events: { events.record($0) }
        )
        self.init(settings, CredentialCoding(Login.self), origins: host, problem: nil)
    }
}

@Suite("A record of a login that a store does not take", .timeLimit(.minutes(10)), .paced)
struct RefusedRecordTests {
    private var (clock, store, events, login) = SharedLogin.watched()
    private let ann = Partition("ann")

    private func state(of login: SharedLogin) async throws -> CredentialRecord.State? {
        try await store.record(at: login.key(of: ann))?.state
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
        await login.publish(Login(2), of: ann)
        #expect(try await state(of: login) == .current)
        #expect(events.values.count == 1)
    }

    @Test(
        "for a reason that may pass is tried again for an hour, then given up, and that is said",
        arguments: [SharedStoreError.Code.refused, .unsupported, .corrupt]
    )
    func refused(_ code: SharedStoreError.Code) async throws {
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
        await clock.advance { !login.state.withLock { $0.hasWork } }
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
        let sealing = PartialSealing(key: login.key(of: ann))
        let login = SharedLogin(in: store, sealing: sealing, clock, events)
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

    @Test("is stored behind a login whose write it meets, and not given up for that one", arguments: [true, false])
    func overtaken(isRefused: Bool) async throws {
        let stop = Stop()
        store.on(.write) { (count) throws(SharedStoreError) in
            guard count == 1 else { return }
            await stop.pass()
            if isRefused { throw SharedStoreError(.invalid, "the test says so") }
        }
        let first = Task { await login.publish(Login(1), of: ann) }
        await stop.isReached()
        let second = Task { await login.publish(nil, of: ann) }
        await until {
            login.state.withLock { state in
                if case .session(.none)? = state.pending[ann]?.change { true } else { false }
            }
        }
        stop.open()
        await first.value
        await second.value
        #expect(try await state(of: login) == .ended)
        #expect(!events.values.contains { $0.kind == .abandoned })
    }

    @Test("what cannot be read is no record: who knows one writes it again, the first of all, with number 0, as well")
    func damaged() async throws {
        for (number, bytes) in [(0, Data()), (0, Data("what is this?".utf8)), (5, Data([1, 1])), (5, Data(count: 40))] {
            let login = SharedLogin(in: store, clock, events)
            let key = login.key(of: ann)
            _ = login.enter(ann)
            let known = CredentialRecord(.intention, UInt64(number), lease: 3, credential: Data("r".utf8))
            login.state.withLock { $0.rules.learn(known) }
            _ = try await store.write(key, bytes, ifVersion: nil, for: .seconds(60))
            await login.restore(key)
            #expect(try await store.record(at: key) == known)
        }
    }
}
