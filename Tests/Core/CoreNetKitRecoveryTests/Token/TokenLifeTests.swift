import TestSupport

@Suite("The life of a login", .timeLimit(.minutes(10)), .paced)
struct TokenLifeTests {
    typealias World = TokenRefreshTests.World

    struct LoginError: Error {}

    private let world = World(isOpen: true)

    @Test("after a logout nothing is sent or refreshed, until a login")
    func logout() async throws {
        let refresher = world.refresher()
        refresher.set(nil)
        #expect(refresher.isSignedOut)
        for _ in 0..<3 {
            let error = await world.chain(refresher).failure
            #expect(error?.code == .tokenRefreshFailed)
            #expect(error?.isRetryable == false)
        }
        refresher.invalidate()
        #expect(await world.chain(refresher).failure?.code == .tokenRefreshFailed)
        #expect(world.refreshes.values.isEmpty && world.wire.count == 0)
        refresher.set(AccessToken("t1"))
        try await world.chain(refresher).process()
        #expect(!refresher.isSignedOut)
        #expect(world.refreshes.values.isEmpty)
    }

    @Test("a refused refresh has a cool-down: ten calls make one, and fail at once with its cause")
    func coolDown() async throws {
        let refresher = world.refresher(coolDown: .seconds(20), failing: LoginError())
        for _ in 0..<10 {
            let error = await world.chain(refresher).failure
            #expect(error?.cause is LoginError)
            #expect(error?.message.contains("the refresh of the token failed") == true)
            #expect(error?.message.contains("saved") == false)
        }
        #expect(world.refreshes.values.count == 1)
        // The token is known to be refused: it is not even tried.
        #expect(world.wire.count == 1)
        world.wire.clock.advance(by: .seconds(20))
        _ = await world.chain(refresher).failure
        #expect(world.refreshes.values.count == 2)
        #expect(world.wire.count == 1)
        refresher.invalidate()
        _ = await world.chain(refresher).failure
        #expect(world.refreshes.values.count == 3)
    }

    @Test(
        "a cool-down lasts as long as it says, whatever the clock is set to",
        arguments: [-3650 * 86_400, -86_400, -0.5, 86_400, 3650 * 86_400] as [TimeInterval]
    )
    func coolDownAndSteps(step: TimeInterval) async {
        let refresher = world.refresher(coolDown: .seconds(20), failing: LoginError())
        let clock = world.wire.clock
        func call(step: TimeInterval = 0) async {
            let client = Client(transport: world.wire, clock: CallClock(clock)) {
                .billennium.addingTimeInterval(clock.now.offset / .seconds(1) + step)
            }
            #expect(await client.chain { $0.authorize(refresher) }.failure?.code == .tokenRefreshFailed)
        }
        await call()
        clock.advance(by: .seconds(19))
        await call(step: step)
        #expect(world.refreshes.values.count == 1)
        clock.advance(by: .seconds(1))
        await call(step: step)
        #expect(world.refreshes.values.count == 2)
    }

    @Test("a cool-down uses the clock of the call whose refresh failed, even for calls with other clocks")
    func coolDownAndClocks() async throws {
        let refresher = world.refresher(coolDown: .seconds(20), failing: LoginError())
        _ = await world.chain(refresher).failure
        let ahead = ManualClock(now: .init(offset: .seconds(86_400)))
        let chain = Client(transport: world.wire, clock: CallClock(ahead)).chain { $0.authorize(refresher) }
        ahead.advance(by: .seconds(3600))
        _ = await chain.failure
        #expect(world.refreshes.values.count == 1)
        world.wire.clock.advance(by: .seconds(20))
        _ = await chain.failure
        #expect(world.refreshes.values.count == 2)
    }

    @Test("a transient failure of the refresh may be retried at once", arguments: [true, false])
    func lostConnection(isRetrying: Bool) async throws {
        let lost = TransportError(.connectionLost, phase: .wait, message: "scripted")
        let wire = Wire(taking: "t1")
        let tries = Locked(0)
        let refresher = TokenRefresher(token: AccessToken("t0"), origins: [host]) { _ in
            if tries.next() == 1 { throw lost }
            return AccessToken("t1")
        }
        let policy = RetryPolicy(decide: { _, planned in planned.map { _ in .zero } })
        let chain = wire.chain(.post) { $0.with(isRetrying ? policy : nil, at: .retry).authorize(refresher) }
        let error = await chain.failure
        if isRetrying {
            #expect(error == nil)
        } else {
            #expect(error?.isRetryable == true)
            #expect(error?.isSafeToResend == true)
            try await chain.process()
        }
        #expect(tries.value == 2)
    }

    @Test("a rejected refresh pauses for as long as the server asks")
    func retryAfter() async throws {
        let clock = ManualClock()
        let login = Wire(clock, statuses: [503], headers: ["Retry-After": "7"])
        let source = login.chain()
        let refresher = TokenRefresher(origins: [host]) { _ in
            try await source.process()
            return AccessToken("t")
        }
        let wire = Wire(clock, statuses: [200])
        let chain = wire.chain { $0.authorize(refresher) }
        for _ in 0..<5 { #expect(await chain.failure?.isRetryable == true) }
        #expect(login.count == 1)
        clock.advance(by: .seconds(7))
        _ = await chain.failure
        #expect(login.count == 2)
    }

    @Test("a new token is saved once, before any call uses it")
    func saving() async throws {
        let (saved, holding) = (Recorder<String>(), Gate())
        let refresher = world.refresher(save: { token in
            try await holding.pass()
            saved.record(token.value)
        })
        let calls = world.chain(refresher).start(3)
        await holding.arrived(1)
        await refresher.waiting(3)
        #expect(refresher.token?.value == "t0")
        #expect(!world.wire.entries.contains { $0.request.headers["Authorization"] == "Bearer t1" })
        holding.open()
        for call in calls { try await call.value }
        #expect(saved.values == ["t1"])
    }

    @Test("a token that could not be saved is not lost: the next call saves it, without another refresh")
    func savingFails() async throws {
        let saved = Recorder<String>()
        let refresher = world.refresher(save: { token in
            saved.record(token.value)
            if saved.values.count == 1 { throw LoginError() }
        })
        let error = await world.chain(refresher).failure
        #expect(error?.code == .tokenRefreshFailed)
        #expect(error?.cause is LoginError)
        try await world.chain(refresher).process()
        #expect(saved.values == ["t1", "t1"])
        #expect(world.refreshes.values.count == 1)
    }

    @Test("a logout during a token's save is known to be over when the refresher is idle")
    func logoutWhileSaving() async throws {
        let (saved, holding) = (Recorder<String>(), Gate())
        let refresher = world.refresher(save: { token in
            // A store that cannot be interrupted.
            await Task { try? await holding.pass() }.value
            saved.record(token.value)
        })
        let call = Task { await world.chain(refresher).failure }
        await holding.arrived(1)
        refresher.set(nil)
        #expect(await call.value?.code == .userChanged)
        let idle = Task {
            await refresher.idle()
            return saved.values
        }
        holding.open()
        #expect(await idle.value == ["t1"])
        #expect(refresher.token == nil)
        await refresher.idle()
    }

    @Test("a refresh is cancelled by a logout and by a login: nothing waits for its own end", arguments: [true, false])
    func refreshCancelled(isLogout: Bool) async throws {
        let world = World()
        let refresher = world.refresher()
        let call = Task { await world.chain(refresher).failure }
        await refresher.waiting(1)
        await world.gate.arrived(1)
        refresher.set(isLogout ? nil : AccessToken("t1"))
        // The gate is never opened.
        await refresher.idle()
        #expect(await call.value?.code == .userChanged)
    }
}
