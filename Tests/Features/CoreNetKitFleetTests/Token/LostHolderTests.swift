import TestSupport

@testable import CoreNetKitFleet

@Suite("A process that dies or is stopped while it refreshes for all", .timeLimit(.minutes(10)), .paced)
struct LostHolderTests {
    /// Where the process is stopped for good, or until another one has done its work.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case beforeLease, beforeSecondLook, beforeIntention, afterIntention, beforeSending, afterSending, beforeResult,
            beforeRelease

        var testDescription: String { rawValue }
        /// Whether the intention stands when it stops, and its outcome does not.
        var leavesIntention: Bool { [.afterIntention, .beforeSending, .afterSending, .beforeResult].contains(self) }
        /// Whether the server has seen its request.
        var hasSent: Bool { [.afterSending, .beforeResult, .beforeRelease].contains(self) }
    }

    /// A process that stops at a place.
    struct Holder {
        let pod: Pod
        let stop = Stop()

        init(
            _ place: Place,
            _ server: AuthServer,
            _ store: any SharedStore,
            _ lost: SharedCredentials.LostRefresh,
            _ clock: ManualClock
        ) {
            // Its task may be cut meanwhile: a process that does not run sees nothing of that.
            let hold = { @Sendable [stop] in await Task.detached { await stop.pass() }.value }
            let (reads, writes) = (Locked(0), Locked(0))
            pod = Pod(server, in: store, lost: lost, clock: clock) { login, server in
                if place == .beforeSending { await hold() }
                let renewed = server.refreshed(login)
                if place == .afterSending { await hold() }
                return renewed
            }
            pod.store.onCall { (step, time) throws(SharedStoreError) in
                switch (step, time) {
                case (.read, .before):
                    if reads.next() == 2, place == .beforeSecondLook { await hold() }
                case (.lease, .before): if place == .beforeLease { await hold() }
                case (.write, .before):
                    let count = writes.next()
                    if count == 1, place == .beforeIntention { await hold() }
                    if count == 2, place == .beforeResult { await hold() }
                case (.write, .after):
                    if writes.withLock({ $0 }) == 1, place == .afterIntention { await hold() }
                case (.release, .before): if place == .beforeRelease { await hold() }
                default: break
                }
            }
        }

        /// Its call after the token has expired, which has come to the place.
        func begin(_ server: AuthServer) async -> Task<NetworkError?, Never> {
            server.expire()
            let call = Task { await failure { try await pod.call() } }
            await stop.isReached()
            return call
        }
    }

    private let server = AuthServer()
    private var (clock, store) = LocalStore.onManualClock()

    @Test(
        "killed there, the others continue: one refresh, or what the policy says for an unknown outcome",
        arguments: Place.allCases,
        [SharedCredentials.LostRefresh.spendAgain, .endSession]
    )
    func killed(at place: Place, _ lost: SharedCredentials.LostRefresh) async throws {
        let holder = Holder(place, server, store, lost, clock)
        let other = Pod(server, in: store, lost: lost, clock: clock)
        let dead = await holder.begin(server)
        let outcome = try await clock.polling { await failure { try await other.call() } }
        if place.leavesIntention, lost == .endSession {
            #expect(outcome?.code == .userChanged)
            #expect(other.refresher.isSignedOut)
            #expect(server.spends == (place.hasSent ? 1 : 0))
        } else {
            #expect(outcome == nil)
            #expect(server.spends == (place.hasSent && place.leavesIntention ? 2 : 1))
        }
        #expect(server.doubles == (place.hasSent && place.leavesIntention && lost == .spendAgain ? 1 : 0))
        let noted = other.events.values.contains { $0.kind == .lostRefresh }
        #expect(noted == place.leavesIntention)
        dead.cancel()
        holder.stop.open()
        _ = await dead.value
    }

    @Test(
        "stopped there until the others are done, it does no harm that the policy does not allow",
        arguments: Place.allCases,
        [SharedCredentials.LostRefresh.spendAgain, .endSession]
    )
    func stopped(at place: Place, _ lost: SharedCredentials.LostRefresh) async throws {
        let holder = Holder(place, server, store, lost, clock)
        let other = Pod(server, in: store, lost: lost, clock: clock)
        let slow = await holder.begin(server)
        _ = try await clock.polling { await failure { try await other.call() } }
        clock.advance(by: .seconds(20))
        holder.stop.open()
        _ = try await clock.polling { await slow.value }
        await holder.pod.refresher.idle()
        let ends = lost == .endSession && place.leavesIntention
        // Between check and send nothing can be checked: one may come late, of a session that has ended.
        #expect(server.spends <= (lost == .spendAgain && place.leavesIntention ? 2 : 1))
        #expect(server.doubles <= (lost == .spendAgain && place.leavesIntention ? 1 : 0))
        if ends {
            _ = try await clock.polling { await failure { try await holder.pod.call() } }
            #expect(holder.pod.refresher.isSignedOut && other.refresher.isSignedOut)
        } else {
            let spends = server.spends
            for pod in [holder.pod, other] { try await clock.polling { try await pod.call() } }
            #expect(holder.pod.access == other.access)
            // Of two that were spent for one, the server may know the other one.
            if !place.leavesIntention { #expect(server.spends == spends) }
        }
    }

    @Test("after more than half of its lease, it sends nothing and starts again")
    func lateStart() async throws {
        let holder = Holder(.beforeIntention, server, store, .endSession, clock)
        let call = await holder.begin(server)
        clock.advance(by: .seconds(6))
        holder.stop.open()
        #expect(try await clock.polling { await call.value } == nil)
        #expect(server.spends == 1)
        #expect(holder.pod.store.count(of: .lease) == 2)
        #expect(holder.pod.events.values.isEmpty)
    }

    @Test("cut off at the end of its lease: a later result is kept, if no other process has continued")
    func cut() async throws {
        let holder = Holder(.afterSending, server, store, .spendAgain, clock)
        let call = await holder.begin(server)
        await until { clock.sleepers.contains(.init(offset: .seconds(10))) }
        clock.advance(by: .seconds(10))
        let error = await call.value
        #expect(error?.code == .tokenRefreshFailed)
        #expect(error?.isRetryable == true)
        holder.stop.open()
        let other = Pod(server, in: store, lost: .spendAgain, clock: clock)
        await until { holder.pod.store.done(.write) == 2 }
        try await clock.polling { try await other.call() }
        #expect(server.spends == 1)
    }
}

@Suite("A refresh that meets what others have stored meanwhile, or its timeout", .timeLimit(.minutes(10)), .paced)
struct OvertakenRefreshTests {
    private let server = AuthServer()
    private var (clock, store) = LocalStore.onManualClock()

    @Test("gets a larger number than what it spends, also from a process that has taken nothing before")
    func numbers() async throws {
        let store = LocalStore()
        var (pods, last) = ([Pod](), UInt64(0))
        for turn in 0..<3 {
            // It has what is stored, so it spends that and takes nothing.
            let fresh = Pod(server, in: store, token: Login(turn))
            try await server.expire(for: [fresh])
            let key = try #require(fresh.store.lastWritten)
            let number = try #require(try await store.record(at: key)?.number)
            #expect(number > last)
            last = number
            pods.append(fresh)
        }
        try await pods.call()
        #expect(Set(pods.map(\.access)) == ["a3"])
        #expect(server.spends == 3)
        #expect(pods.allSatisfy { $0.events.values.isEmpty })
    }

    @Test("and ends no session where the late result comes just before the end is stored")
    func lateResult() async throws {
        let late = LostHolderTests.Holder(.afterSending, server, store, .endSession, clock)
        let other = Pod(server, in: store, clock: clock)
        other.store.on(.write) { (count) throws(SharedStoreError) in
            guard count == 1 else { return }
            late.stop.open()
            await until { late.pod.store.done(.write) == 2 }
        }
        let slow = await late.begin(server)
        let error = try await clock.polling { await failure { try await other.call() } }
        _ = await slow.value
        #expect(error == nil)
        #expect(!other.refresher.isSignedOut)
        #expect(other.access == "a1")
        #expect(server.spends == 1)
        #expect(other.events.values.isEmpty, "no session has ended")
    }

    @Test("and does not know whether it has stored the end says so, and the session has ended")
    func unheardEnd() async throws {
        let lost = LostHolderTests.Holder(.afterSending, server, store, .endSession, clock)
        let other = Pod(server, in: store, clock: clock)
        other.store.lose(.write, .after) { $0 == 1 }
        let dead = await lost.begin(server)
        #expect(try await clock.polling { await failure { try await other.call() } }?.code == .userChanged)
        #expect(other.events.values.map(\.kind) == [.lostRefresh])
        #expect(other.events.values.first?.cause == WatchedStore.unheard)
        dead.cancel()
        lost.stop.open()
        _ = await dead.value
    }

    @Test("and comes too late remembers what it found: a store that loses that is told of it, and of nothing older")
    func overtaken() async throws {
        let store = ForgetfulStore(clock)
        let late = LostHolderTests.Holder(.beforeResult, server, store, .spendAgain, clock)
        let other = Pod(server, in: store, lost: .spendAgain, clock: clock)
        server.expire()
        try await [other, late.pod].call()
        let slow = await late.begin(server)
        try await clock.polling { try await other.call() }
        let key = try #require(other.store.lastWritten)
        let newest = try #require(try await store.record(at: key))
        late.stop.open()
        _ = try await clock.polling { await slow.value }
        other.store.fail()
        let writes = late.pod.store.done(.write)
        store.restart()
        await until { late.pod.store.done(.write) > writes }
        #expect(try await store.record(at: key) == newest)
    }

    @Test("and is stored only at the second try gives its lease back: the next one does not wait for its end")
    func leaseGivenBack() async throws {
        let pod = Pod(server, in: store, clock: clock)
        // The first one is the intention; the second one would store what came.
        pod.store.lose(.write) { $0 == 2 }
        server.expire()
        try await clock.polling { try await pod.call() }
        let other = Pod(server, in: store, token: Login(1), clock: clock)
        let start = clock.now
        server.expire()
        try await clock.polling { try await other.call() }
        #expect(start.duration(to: clock.now) < .seconds(5))
        server.expectSpent(2)
    }

    @Test("and a login that was started meanwhile: the login stays, what came is of a session that is over")
    func loginDuringRefresh() async throws {
        let store = LocalStore()
        let stop = Stop()
        let pod = Pod(server, in: store)
        pod.store.on(.write) { (count) throws(SharedStoreError) in
            // The first one is the intention; the second one would store what came.
            guard count == 2 else { return }
            await Task.detached { await stop.pass() }.value
        }
        server.expire()
        let call = Task { await failure { try await pod.call() } }
        await stop.isReached()
        let login = server.login()
        pod.refresher.set(login, user: "ann")
        stop.open()
        _ = await call.value
        await pod.refresher.idle()
        let other = Pod(server, in: store)
        try await other.call()
        #expect(other.access == login.access)
        try await pod.call()
        #expect(pod.access == login.access)
        #expect(server.spends == 1)
    }

    /// A way to share that takes its time.
    private final class SlowSharing: CredentialSharing {
        let isSending: Bool
        let goOn = Signal()
        let wasCut = Locked<Bool?>(nil)
        var problem: String? { nil }

        init(isSending: Bool) { self.isSending = isSending }

        func renew(
            _ current: (any TokenCredential)?,
            of user: Partition,
            date: @escaping @Sendable () -> Date,
            by refresh: @escaping Refresh
        ) async throws -> any TokenCredential {
            await Task.detached { [goOn] in await goOn.wait() }.value
            wasCut.withLock { $0 = Task.isCancelled }
            return Login(1)
        }

        func publish(_ credential: (any TokenCredential)?, of user: Partition) async {}
    }

    @Test("that takes longer than its callers wait is cut only if nothing is at the server", arguments: [false, true])
    func timeout(isSending: Bool) async throws {
        let sharing = SlowSharing(isSending: isSending)
        let fields: @Sendable (AccessToken) -> Headers = { ["Authorization": "Bearer \($0.value)"] }
        let refuses: @Sendable (NetworkError) -> Bool = { $0.status == 401 }
        let renew: @Sendable (Login?) async throws -> Login = { _ in Login(1) }
        let limit = Duration.seconds(30)
        let tokens = TokenRefresher(Login(0), "ann", [host], .zero, limit, .zero, fields, refuses, nil, renew, sharing)
        let client = Client(transport: ClosureTransport(server.resources), clock: CallClock(clock)).authorize(tokens)
        server.expire()
        let call = Task { await failure { try await client.call() } }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(31))
        #expect(await call.value?.code == .tokenRefreshFailed)
        sharing.goOn.signal()
        await tokens.idle()
        #expect(sharing.wasCut.withLock { $0 } == !isSending)
    }
}
