import CoreNetKitFleet
import TestSupport

@Suite("A shared login while the store is away", .timeLimit(.minutes(10)), .paced)
struct StoreAwayTests {
    private let server = AuthServer()
    private var (clock, store) = LocalStore.onManualClock()

    @Test("is renewed by each process alone if a refresh token may be used twice, with an event, and shared later")
    func spendAgain() async throws {
        let pod = Pod(server, in: store, lost: .spendAgain, clock: clock)
        try await server.expire(for: [pod])
        pod.store.fail()
        server.expire()
        try await clock.polling { try await pod.call() }
        #expect(server.spends == 2)
        #expect(pod.events.values.map(\.kind) == [.fallback, .delayed])
        #expect(pod.events.values.first?.cause?.code == .unreachable)
        pod.store.onCall(nil)
        // It may be awake already: then nobody sleeps any more, and to wait for a sleeper would be to wait for ever.
        await clock.advance { pod.store.done(.write) == 3 }
        let other = Pod(server, in: store, lost: .spendAgain, clock: clock)
        try await other.call()
        server.expectSpent(2)
    }

    @Test("is not renewed if a refresh token must not be used twice; calls fail as retryable, a valid token works")
    func endSession() async throws {
        let date = Locked(Date(timeIntervalSince1970: 1_000_000_000))
        let pod = Pod(server, in: store, token: nil, clock: clock, date: { date.withLock { $0 } })
        server.expires.withLock { $0 = date.withLock { $0 }.addingTimeInterval(100) }
        try await pod.call()
        pod.store.fail(.timedOut)
        // Within the margin: another token would be better, this one works.
        date.withLock { $0.addTimeInterval(80) }
        try await clock.polling { try await pod.call() }
        date.withLock { $0.addTimeInterval(30) }
        let error = try await clock.polling { await failure { try await pod.call() } }
        #expect(error?.code == .tokenRefreshFailed)
        #expect(error?.isRetryable == true)
        #expect((error?.cause as? NetworkError)?.cause is SharedStoreError)
        #expect(server.spends == 1)
        #expect(!pod.refresher.isSignedOut)
        pod.store.onCall(nil)
        try await pod.call()
        #expect(server.spends == 2)
    }

    @Test("a few failures of the store in a row only delay the refresh", arguments: 1...8)
    func hiccup(failures: Int) async throws {
        let pod = Pod(server, in: store, clock: clock)
        let calls = Locked(0)
        // Of nine calls that a refresh makes one fails after the other, each once.
        pod.store.onCall { (_, time) throws(SharedStoreError) in
            guard time == .before else { return }
            let count = calls.next()
            if count.isMultiple(of: 2), count <= failures * 2 { throw WatchedStore.unheard }
        }
        server.expire()
        try await clock.polling { try await pod.call() }
        #expect(server.spends == 1)
        #expect(clock.now < .init(offset: .seconds(10)))
        let other = Pod(server, in: store, clock: clock)
        try await clock.polling { try await other.call() }
        #expect(server.spends == 1)
        #expect(!pod.events.values.contains { $0.kind == .lostRefresh || $0.kind == .fallback })
    }

    @Test("a logout while the store is away reaches the others when it is back")
    func logout() async throws {
        let pods = try await server.renewedPods(2, in: store, clock: clock)
        pods[0].store.fail()
        await pods[0].signOut()
        #expect(pods[0].events.values.map(\.kind) == [.delayed])
        for _ in 0..<3 {
            let reads = pods[0].store.count(of: .read)
            try await clock.advanceToNextSleeper()
            await until { pods[0].store.count(of: .read) > reads }
        }
        try await clock.waitForSleepers(1)
        pods[0].store.onCall(nil)
        let writes = pods[0].store.done(.write)
        try await clock.advanceToNextSleeper()
        await until { pods[0].store.done(.write) > writes }
        server.expire()
        #expect(await failure { try await pods[1].call() }?.code == .userChanged)
        #expect(server.spends == 1)
    }

    @Test("a write with an unknown outcome is looked up, not repeated", arguments: 1...2)
    func unheard(write: Int) async throws {
        let store = LocalStore()
        let pod = Pod(server, in: store)
        pod.store.lose(.write, .after) { $0 == write }
        server.expire()
        // That the intention may stand is taken back; what was got is stored.
        try await pod.call()
        let other = Pod(server, in: store)
        try await other.call()
        #expect(server.spends == 1)
        #expect(!pod.refresher.isSignedOut && !other.refresher.isSignedOut)
        #expect(!pod.events.values.contains { $0.kind == .lostRefresh })
    }

    @Test("an intention that arrives late, over a closed connection, ends no session: it goes over nothing any more")
    func lateIntention() async throws {
        let pods = try await server.renewedPods(2, in: store, clock: clock)
        server.expire()
        let (goOn, done) = pods[0].store.delayNextWrite()
        // After that write it gets no other lease: its call fails, and what was not sent has been taken back.
        pods[0].store.on(.lease) { (count) throws(SharedStoreError) in
            if count > 1 { throw SharedStoreError(.unreachable, "the test says so") }
        }
        #expect(try await clock.polling { await failure { try await pods[0].call() } }?.code == .tokenRefreshFailed)
        #expect(server.spends == 1)
        goOn.signal()
        await done.wait()
        try await clock.polling { try await pods[1].call() }
        server.expectSpent(2)
        #expect(!pods[1].events.values.contains { $0.kind == .lostRefresh })
    }

    @Test("a refused refresh leaves the login unchanged; a broken one leaves it unknown", arguments: [401, 400, 500])
    func failures(status: Int) async throws {
        let store = LocalStore()
        let fails = Locked(true)
        let make = { @Sendable in
            Pod(server, in: store) { login, server in
                guard fails.withLock({ $0 }) else { return server.refreshed(login) }
                var failure = NetworkError(.unacceptableStatus, "no", node: "Test")
                failure.response = FailedResponse(status: status, url: try #require(URL(string: host)))
                throw failure
            }
        }
        let (one, two) = (make(), make())
        server.expire()
        #expect(await failure { try await one.call() }?.code == .tokenRefreshFailed)
        fails.withLock { $0 = false }
        let outcome = await failure { try await two.call() }
        if status == 500 {
            #expect(outcome?.code == .userChanged)
            #expect(two.events.values.map(\.kind) == [.lostRefresh])
        } else {
            #expect(outcome == nil)
            #expect(two.events.values.isEmpty)
        }
    }
}

@Suite("A store that has lost what the processes of a fleet know", .timeLimit(.minutes(10)), .paced)
struct ForgetfulStoreTests {
    private let server = AuthServer()
    private let clock = ManualClock()
    private let store: ForgetfulStore

    init() { store = ForgetfulStore(clock) }

    /// Two processes, of which the second is one credential behind.
    private func pods(in store: any SharedStore) async throws -> (ahead: Pod, behind: Pod) {
        let pods = try await server.renewedPods(2, in: store, clock: clock)
        try await server.expire(for: [pods[0]])
        #expect(server.spends == 2)
        return (pods[0], pods[1])
    }

    @Test(
        "is told again by the process with the newest credential, also after an eviction: one that is behind spends nothing twice",
        arguments: [false, true]
    )
    func restarted(isEvicted: Bool) async throws {
        let local = LocalStore(clock: clock)
        let (ahead, behind) = try await pods(in: isEvicted ? local : store)
        if isEvicted {
            #expect(try await local.remove(try #require(ahead.store.lastWritten), ifVersion: nil))
        } else {
            store.restart()
        }
        try await clock.polling { try await behind.call() }
        server.expectSpent(2)
        #expect(behind.access == ahead.access)
        if !isEvicted { #expect(ahead.events.values.map(\.kind) == [.restored]) }
    }

    @Test("is told of a logout again: no process brings the login back")
    func logout() async throws {
        let (ahead, behind) = try await pods(in: store)
        await ahead.signOut()
        store.restart()
        #expect(try await clock.polling { await failure { try await behind.call() } }?.code == .userChanged)
        #expect(server.spends == 2)
    }

    @Test("is told again of a refresh whose outcome is unknown, and it is not spent again", arguments: [false, true])
    func unknown(isOther: Bool) async throws {
        let isBroken = Locked(false)
        let broken = brokenPod(in: store, isBroken)
        let other = Pod(server, in: store, clock: clock)
        try await server.expire(for: [broken, other])
        server.expire()
        isBroken.withLock { $0 = true }
        #expect(await failure { try await broken.call() }?.code == .tokenRefreshFailed)
        isBroken.withLock { $0 = false }
        #expect(server.spends == 2)
        store.restart()
        let next = isOther ? other : broken
        #expect(try await clock.polling { await failure { try await next.call() } }?.code == .userChanged)
        server.expectSpent(2)
    }

    @Test("is told again of the first refresh of all, too: its record has number 0", arguments: [false, true])
    func firstRefresh(isEvicted: Bool) async throws {
        let pod = brokenPod(in: store)
        server.expire()
        #expect(await failure { try await pod.call() }?.code == .tokenRefreshFailed)
        #expect(server.spends == 1)
        if isEvicted {
            #expect(try await store.remove(try #require(pod.store.lastWritten), ifVersion: nil))
        } else {
            store.restart()
        }
        #expect(try await clock.polling { await failure { try await pod.call() } }?.code == .userChanged)
        server.expectSpent(1)
    }

    @Test("and could not be asked for long gets the same time when it can: nobody has told it before")
    func awayForLong() async throws {
        let (ahead, behind) = try await pods(in: store)
        store.forget()
        for pod in [ahead, behind] { pod.store.fail() }
        store.tell()
        // One more element of the changes is waited for by each of the two readers then.
        await store.asked.wait(6)
        _ = try await clock.polling { await failure { try await behind.call() } }
        clock.advance(by: .seconds(20))
        behind.store.onCall(nil)
        let call = Task { try await behind.call() }
        await until { behind.store.done(.read) > 2 }
        ahead.store.onCall(nil)
        try await clock.polling { try await call.value }
        server.expectSpent(2)
        #expect(behind.access == ahead.access)
    }

    @Test("and comes and goes a thousand times while it is told is told once more, not once for each time")
    func flapping() async throws {
        let pod = Pod(server, in: store, clock: clock)
        try await server.expire(for: [pod])
        let (stop, reads) = (Stop(), pod.store.count(of: .read))
        pod.store.onCall { (step, time) throws(SharedStoreError) in
            if step == .read, time == .before { await stop.pass() }
        }
        store.restart()
        await stop.isReached()
        for _ in 0..<1000 { store.tell() }
        // The first element, those that were told, and the next one that is waited for.
        await store.asked.wait(1003)
        stop.open()
        await until { pod.events.values.map(\.kind) == [.restored] && pod.store.done(.read) >= reads + 2 }
        for _ in 0..<10_000 { await Task.yield() }
        #expect(pod.store.count(of: .read) <= reads + 4)
    }

    @Test("or has not said whether it wrote an intention gets the next one under another lease")
    func leaseOfAnIntentionTakenBack() async throws {
        let store = LocalStore(clock: clock)
        let isBroken = Locked(true)
        let pod = brokenPod(in: store, isBroken)
        pod.store.lose(.write) { $0 == 1 }
        server.expire()
        #expect(try await clock.polling { await failure { try await pod.call() } }?.code == .tokenRefreshFailed)
        isBroken.withLock { $0 = false }
        #expect(server.spends == 1)
        #expect(try await clock.polling { await failure { try await pod.call() } }?.code == .userChanged)
        server.expectSpent(1)
    }

    @Test("and is not told again is used after a lease has passed without a result")
    func forgotten() async throws {
        let pods = try await server.renewedPods(2, in: store, clock: clock)
        store.forget()
        server.expire()
        let start = clock.now
        try await clock.polling { try await pods[0].call() }
        #expect(start.duration(to: clock.now) >= .seconds(10))
        try await clock.polling { try await pods[1].call() }
        server.expectSpent(2)
    }

    @Test("during a refresh makes the others wait for the result: no refresh token is used twice")
    func forgottenAtWork() async throws {
        let (stop, isHeld) = (Stop(), Locked(false))
        let one = Pod(server, in: store, clock: clock) { login, server in
            if isHeld.withLock({ $0 }) { await stop.pass() }
            return server.refreshed(login)
        }
        let two = Pod(server, in: store, clock: clock)
        try await server.expire(for: [one, two])
        isHeld.withLock { $0 = true }
        server.expire()
        let first = Task { try await one.call() }
        await stop.isReached()
        store.forget()
        let second = Task { try await two.call() }
        // It looks again and again, for less than the lease, and sends nothing.
        for _ in 0..<10 {
            await until { clock.sleepers.first.map { clock.now.duration(to: $0) <= .milliseconds(250) } ?? false }
            try await clock.advanceToNextSleeper()
        }
        #expect(server.spends == 1)
        stop.open()
        try await first.value
        try await clock.polling { try await second.value }
        server.expectSpent(2)
        #expect(one.access == two.access)
    }

    @Test("perhaps, since its connection was lost, gets nothing before running refreshes were cut off")
    func lostConnection() async throws {
        let pod = Pod(server, in: store, clock: clock)
        try await server.expire(for: [pod])
        store.tell()
        await store.asked.wait(3)
        server.expire()
        let start = clock.now
        try await clock.polling { try await pod.call() }
        #expect(start.duration(to: clock.now) >= .seconds(10))
        #expect(server.spends == 2)
    }

    /// A process whose connection breaks: nobody knows whether the server has done it, and the call may be repeated.
    private func brokenPod(in store: any SharedStore, _ isBroken: Locked<Bool> = Locked(true)) -> Pod {
        Pod(server, in: store, clock: clock) { login, server in
            let renewed = server.refreshed(login)
            guard isBroken.withLock({ $0 }) else { return renewed }
            var failure = NetworkError(.nodeFailed, "no", node: "Test")
            failure.isRetryable = true
            throw failure
        }
    }
}
