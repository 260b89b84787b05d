import TestSupport

/// The same promises on a real socket, by a real clock.
@Suite("Policies on a real socket", .timeLimit(.minutes(10)), .paced)
struct SocketTests {
    private let quick = RetryPolicy(backoff: .exponential(base: .milliseconds(1), cap: .milliseconds(20)))
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func builder(_ path: String = "/") -> UrlChainsBuilder<URL> {
        UrlChainsBuilder(client: Client()).route(.get, server.url(path))
    }

    @Test("503 with Retry-After is repeated, not before its time, and 200 ends it")
    func retryAfter() async throws {
        server.on(.get, "/", .status(503).header("Retry-After", "1"), .text("ok"))
        let clock = ContinuousClock()
        let start = clock.now
        let chain: Chain<Void, String> = builder().retry(quick).build()
        #expect(try await chain.process() == "ok")
        #expect(clock.now - start >= .seconds(1))
        #expect(server.requests.count == 2)
    }

    @Test("a reset is repeated for GET, and a POST only with an idempotency key")
    func resets() async throws {
        for method in [HTTPMethod.get, .post] {
            server.on(method, "/", .fault(.reset(.beforeStatus)), .fault(.reset(.inHeaders)), .text("ok"))
        }
        let get: Chain<Void, String> = builder().retry(quick).build()
        #expect(try await get.process() == "ok")
        #expect(server.requests.count == 3)

        let post = builder().route(.post, server.url("/")).retry(quick)
        let plain: Chain<Void, String> = post.build()
        let error = await plain.failure
        #expect(error?.code == .connectionLost)
        #expect(server.requests.count == 4)

        let keyed: Chain<Void, String> = post.idempotencyKey().build()
        #expect(try await keyed.process() == "ok")
        let keys = server.requests.suffix(2).map { $0.headers["Idempotency-Key"] }
        #expect(keys[0] != nil && keys[0] == keys[1])
    }

    @Test("a POST that a 429 refused is sent again as it was, if its policy takes the risk")
    func riskyPost() async throws {
        server.on(.post, "/", .status(429).header("Retry-After", "0"), .text("ok"))
        var risky = quick
        risky.retriesUnsafeMethodsAfter429 = true
        let chain: Chain<String, String> = builder().route(.post, server.url("/")).retry(risky).build()
        #expect(try await chain.process("order") == "ok")
        #expect(server.requests.map(\.text) == ["order", "order"])
    }

    @Test("a stall ends with the attempt's timeout and is repeated; the deadline ends the call")
    func stalls() async throws {
        server.on(.get, "/once", .fault(.stall(.beforeStatus)), .text("ok"))
        server.on(.get, "/always", .text("0123456789").fault(.stall(.inBody(5))))
        let timeouts = Timeouts(firstByte: .milliseconds(100))
        let once: Chain<Void, String> = builder("/once").set(timeouts: timeouts).retry(quick).build()
        #expect(try await once.process() == "ok")

        let clock = ContinuousClock()
        let start = clock.now
        let error = await withLongerLimits(until: { (error: NetworkError?) in error?.phase == .receive }) { limit in
            let always: Chain<Void, String> = builder("/always").set(deadline: limit).retry(quick).build()
            return await always.failure
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.phase == .receive && error?.history.isEmpty == true)
        #expect(clock.now - start >= .milliseconds(290))
    }

    @Test("a refused connection is repeated for any method: the server cannot have seen it")
    func refused() async throws {
        let url = try LoopbackServer.unusedPortURL()
        let chain: Chain<Void, Void> = UrlChainsBuilder<URL>(client: Client()).retry(quick).route(.post, url).build()
        let error = await chain.failure
        #expect(error?.code == .cannotConnect)
        #expect(error?.attempt == 3)
        #expect(error?.history.count == 2)
    }

    @Test("calls that share an exchange are one request, and cancelling the last one closes its connection")
    func coalescing() async throws {
        let gate = LoopbackGate()
        server.on(.get, "/shared", .text("ok").fault(.stall(.beforeStatus, until: gate)))
        server.on(.get, "/left", .fault(.stall(.beforeStatus)))
        let client = Client()
        let builder = UrlChainsBuilder<URL>(client: client).coalesce()
        let shared: Chain<Void, String> = builder.route(.get, server.url("/shared")).build()
        let calls = shared.start(5)
        await until { client.callsCoalesced == 5 }
        gate.open()
        for call in calls { #expect(try await call.value == "ok") }
        #expect(server.requests.count == 1)

        let left: Chain<Void, String> = builder.route(.get, server.url("/left")).build()
        let others = left.start(3)
        let request = try await server.request(at: 1)
        await until { client.callsCoalesced == 3 }
        for call in others { call.cancel() }
        try await server.waitForDisconnect(of: request.connection)
    }

    @Test("the request that loses a race is cancelled on the wire")
    func hedging() async throws {
        server.on(.get, "/", .fault(.stall(.beforeStatus)), .text("second"))
        let chain: Chain<Void, String> = builder().hedge(after: .milliseconds(50)).build()
        #expect(try await chain.process() == "second")
        #expect(server.requests.count == 2)
        try await server.waitForDisconnect(of: server.requests[0].connection)
    }

    @Test("a token refused by the server is renewed once for all calls")
    func token() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/login" { return .text("new") }
            return request.headers["Authorization"] == "Bearer new" ? .text("ok") : .status(401)
        }
        let client = Client()
        let base = UrlChainsBuilder<URL>(client: client)
        let login: Chain<Void, String> = base.route(.post, server.url("/login")).build()
        let refresher = TokenRefresher(token: AccessToken("old"), origins: .any) { _ in
            AccessToken(try await login.process())
        }
        let chain: Chain<Void, String> = base.authorize(refresher).route(.get, server.url("/")).build()
        let calls = chain.start(8)
        for call in calls { #expect(try await call.value == "ok") }
        #expect(server.requests.filter { $0.path == "/login" }.count == 1)
    }
}
