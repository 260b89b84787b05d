import TestSupport

@testable import CoreNetKitRecovery

@Suite("Tokens on their way through a chain", .timeLimit(.minutes(10)), .paced)
struct TokenRefreshTests {
    /// A server that accepts one token, and a login that issues it when the gate opens.
    final class World: Sendable {
        /// Holds the refresh.
        let gate = Gate()
        /// Holds responses.
        let replies = Gate()
        let valid = Locked("t1")
        let refreshes = Recorder<String?>()
        let running = Locked((now: 0, most: 0))
        let wire: Wire

        init(isOpen: Bool = false, holdsReplies: Bool = false) {
            if isOpen { gate.open() }
            if !holdsReplies { replies.open() }
            let (valid, replies) = (valid, replies)
            wire = Wire { _, request in
                try await replies.pass()
                let isKnown = request.headers["Authorization"] == "Bearer \(valid.withLock { $0 })"
                return .init(status: isKnown ? 200 : 401, url: request.url)
            }
        }

        func refresher(
            token: AccessToken? = AccessToken("t0"),
            timeout: Duration = .seconds(30),
            coolDown: Duration = .seconds(30),
            user: String? = nil,
            save: TokenRefresher.Save? = nil,
            failing: (any Error)? = nil
        ) -> TokenRefresher {
            TokenRefresher(token: token, origins: [host], user: user, timeout: timeout, coolDown: coolDown, save: save)
            {
                [self] current in
                refreshes.record(current?.value)
                running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                defer { running.withLock { $0.now -= 1 } }
                try await gate.pass()
                if let failing { throw failing }
                return AccessToken(valid.withLock { $0 })
            }
        }

        func chain(_ refresher: TokenRefresher?, deadline: Duration? = .seconds(60)) -> Chain<Void, Void> {
            wire.chain(.post) { $0.with(refresher, at: .token).set(deadline: deadline) }
        }
    }

    struct LoginError: Error {}

    @Test("calls that are refused together wait for one refresh and are repeated with its token", arguments: 1...4)
    func singleFlight(callers: Int) async throws {
        let world = World(holdsReplies: true)
        let refresher = world.refresher()
        let calls = world.chain(refresher).start(callers)
        await world.replies.arrived(callers)
        world.replies.open()
        await refresher.waiting(callers)
        let newcomer = world.chain(refresher).start()
        await refresher.waiting(callers + 1)
        #expect(world.wire.count == callers)
        world.gate.open()
        for call in calls + [newcomer] { try await call.value }
        #expect(world.refreshes.values == ["t0"])
        #expect(world.running.withLock { $0.most } == 1)
        #expect(world.wire.count == callers * 2 + 1)
        #expect(refresher.token?.value == "t1")
    }

    @Test("a failed refresh fails all waiting calls, once, with its cause, and nothing is repeated")
    func failureReachesAll() async throws {
        let world = World(holdsReplies: true)
        let refresher = world.refresher(failing: LoginError())
        let calls = (0..<4).map { _ in Task { await world.chain(refresher).failure } }
        await world.replies.arrived(4)
        world.replies.open()
        await refresher.waiting(4)
        world.gate.open()
        for call in calls {
            let error = await call.value
            #expect(error?.code == .tokenRefreshFailed)
            #expect(error?.cause is LoginError)
        }
        #expect(world.refreshes.values.count == 1)
        #expect(world.wire.count == 4)
    }

    @Test("each caller is cancelled separately; the refresh continues for the others", arguments: 0...3)
    func cancelOne(index: Int) async throws {
        let world = World()
        let refresher = world.refresher()
        let calls = world.chain(refresher).start(4)
        await refresher.waiting(4)
        await cancel(calls[index])
        await refresher.waiting(3)
        world.gate.open()
        for (position, call) in calls.enumerated() where position != index { try await call.value }
        #expect(world.refreshes.values.count == 1)
    }

    @Test("a refresh survives its callers, and the next call has its token")
    func lastOneOut() async throws {
        let world = World()
        let refresher = world.refresher()
        let calls = world.chain(refresher).start(3)
        await refresher.waiting(3)
        await cancel(calls)
        await refresher.waiting(0)
        world.gate.open()
        try await world.chain(refresher).process()
        await refresher.idle()
        #expect(world.refreshes.values.count == 1)
        #expect(refresher.token?.value == "t1")
    }

    @Test("a call refused again with the new token fails; it is not repeated for ever")
    func refusedTwice() async throws {
        let world = World(isOpen: true)
        let refresher = TokenRefresher(token: AccessToken("t0"), origins: [host]) { _ in AccessToken("wrong") }
        let error = await world.chain(refresher).failure
        #expect(error?.code == .unauthorized)
        #expect(world.wire.count == 2)
    }

    @Test("403 does not refresh, unless the predicate says so")
    func forbidden() async throws {
        for (isRefusal, count) in [(false, 1), (true, 2)] {
            let wire = Wire(statuses: [403])
            let refresher = TokenRefresher(
                token: AccessToken("t"),
                origins: .any,
                refuses: { $0.status == 401 || (isRefusal && $0.status == 403) },
                refresh: { _ in AccessToken("new") }
            )
            let chain = wire.chain { $0.authorize(refresher) }
            #expect(await chain.failure?.code == .forbidden)
            #expect(wire.count == count)
        }
    }

    @Test("the refresh may use the same client, with a limit of one call and a breaker, without deadlock")
    func sameClient() async throws {
        let wire = Wire { _, request in
            if request.url.path == "/login" {
                return .init(status: 200, body: .bytes(Data("t1".utf8)), url: request.url)
            }
            let isKnown = request.headers["Authorization"] == "Bearer t1"
            return .init(status: isKnown ? 200 : 401, url: request.url)
        }
        let shared = Locked<Client?>(nil)
        let refresher = TokenRefresher(token: AccessToken("t0"), origins: [host]) { _ in
            let builder = UrlChainsBuilder<String>(client: shared.withLock { $0 } ?? .shared)
            // With an observer: its work is a separate task.
            let login: Observer<String> = builder.coalesce().route(.get, host + "/login").build().process()
            return AccessToken(try await login.value)
        }
        let client = wire.client().retry(.standard).authorize(refresher)
            .limit(ConcurrencyLimiter(total: 1)).breaker(CircuitBreaker())
        shared.withLock { $0 = client }
        for call in client.chain(.get, host, { $0.coalesce() }).start(4) { try await call.value }
        let logins = wire.entries.filter { $0.request.url.path == "/login" }
        #expect(logins.count == 1)
        #expect(logins.first?.request.headers["Authorization"] == nil)
        shared.withLock { $0 = nil }
    }

    @Test("a token that is about to expire is renewed before it is used")
    func proactive() async throws {
        let world = World(isOpen: true)
        let expires = Date.billennium.addingTimeInterval(100)
        let refresher = world.refresher(token: AccessToken("t0", expires: expires))
        world.valid.withLock { $0 = "t0" }
        let chain = world.chain(refresher)
        world.wire.clock.advance(by: .seconds(69))
        try await chain.process()
        #expect(world.refreshes.values.isEmpty)
        world.valid.withLock { $0 = "t1" }
        world.wire.clock.advance(by: .seconds(2))
        try await chain.process()
        #expect(world.refreshes.values == ["t0"])
        #expect(world.wire.authorizations == ["Bearer t0", "Bearer t1"])
    }

    @Test("a failed early refresh leaves the token in use until it expires, and is tried again meanwhile")
    func earlyFailure() throws {
        let now = Date.billennium
        let expires = now.addingTimeInterval(30)
        var rules = TokenState<Int>(token: AccessToken("t", expires: expires), margin: 40)
        let grant = TokenGrant(token: AccessToken("t", expires: expires), epoch: 0)
        #expect(rules.request(after: nil, now: now, isPauseOver: true, 1) == .waits(1, starts: true))
        #expect(rules.finish(nil, now: now) == .replies([1], grant))
        #expect(rules.request(after: nil, now: now.addingTimeInterval(14), isPauseOver: true, 2) == .granted(grant))
        let later = now.addingTimeInterval(15)
        #expect(rules.request(after: nil, now: later, isPauseOver: true, 3) == .waits(3, starts: true))
        #expect(rules.finish(nil, now: expires) == .replies([3], nil))
    }

    @Test("a token source that never responds ends with the timeout, or with the deadline if that is earlier")
    func silence() async throws {
        for (deadline, code) in [(nil, .tokenRefreshFailed), (.seconds(5), .deadlineExceeded)]
            as [(Duration?, NetworkError.Code)]
        {
            let world = World()
            let refresher = world.refresher(timeout: .seconds(10))
            let error = try await world.wire.clock.running {
                await world.chain(refresher, deadline: deadline).failure
            }
            #expect(error?.code == code)
            #expect(world.wire.clock.now.offset == deadline ?? .seconds(10))
            #expect(error?.isRetryable == (code == .tokenRefreshFailed))
            // It had its time, or still has some: then a later call ends it.
            if deadline != nil {
                #expect(world.running.withLock { $0.now } == 1)
                world.wire.clock.advance(by: .seconds(5))
                let late = await world.chain(refresher).failure
                #expect(late?.code == .tokenRefreshFailed)
            }
            await refresher.idle()
            #expect(world.running.withLock { $0.now } == 0)
        }
    }

    @Test("a login of the same user serves waiting calls, anything else ends them, and the refresh undoes neither")
    func setMeanwhile() async throws {
        for (token, user) in [
            (AccessToken("t1"), "ann"), (AccessToken("t1"), "ben"), (AccessToken("t1"), nil), (nil, nil),
        ] {
            let world = World()
            let refresher = world.refresher(user: "ann")
            let call = Task { await world.chain(refresher).failure }
            await refresher.waiting(1)
            refresher.set(token, user: user)
            let error = await call.value
            #expect(error?.code == (user == "ann" ? nil : .userChanged))
            world.gate.open()
            await until { world.running.withLock { $0.now } == 0 }
            #expect(refresher.token == token)
        }
    }

    @Test("the token is in no description, message or story")
    func redaction() async throws {
        let world = World(isOpen: true)
        world.valid.withLock { $0 = "s3cret-b" }
        let sink = RecordingSink()
        let refresher = world.refresher(token: AccessToken("s3cret-a"))
        let chain = world.wire.chain { $0.authorize(refresher).log(to: sink, level: .debug) }
        try await chain.process()
        let trees = try await sink.waitForLogTrees(1)
        #expect(!"\(trees) \(AccessToken("s3cret-c"))".contains("s3cret"))
    }

    @Test("a body that cannot be resent is not: the error says unauthorized, and the next call has a new token")
    func streamedBody() async throws {
        let world = World(isOpen: true)
        let refresher = world.refresher()
        let node = TokenNode(
            next: StatusNode(next: TransportNode(world.wire)),
            refresher: refresher,
            client: world.wire.client()
        )
        let body = RequestBody.stream { AsyncThrowingStream<Data, any Error> { nil } }
        let request = TransportRequest(method: .post, url: URL(string: host)!, body: body)
        let error = await failure { _ = try await node.process(request, context: RequestContext()) }
        #expect(error?.code == .unauthorized)
        #expect(world.wire.count == 1)
        await refresher.idle()
        #expect(world.refreshes.values == ["t0"])
        _ = try await node.process(request, context: RequestContext())
        #expect(world.wire.count == 2)
    }
}
