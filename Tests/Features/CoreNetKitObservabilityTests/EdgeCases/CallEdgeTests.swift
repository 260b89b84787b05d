import CoreNetKitObservability
import TestSupport

@Suite("Edge cases of a call", .timeLimit(.minutes(10)), .paced)
struct CallEdgeTests {
    @Test("flushRecords returns when earlier records are delivered, however busy the client is")
    func flushOfABusyClient() async throws {
        let scene = Scene { $0.on(.get, "/**", .text("in")) }
        let delivered = Locked(0)
        let isOver = Locked(false)
        let sink = ClosureCallSink { _ in
            // Slower than the calls: there is always one more that waits.
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .microseconds(500) {}
            delivered.withLock { $0 += 1 }
        }
        let client = scene.client.record(to: sink, limit: .max)
        let caller = Task { while !isOver.withLock({ $0 }) { _ = try await scene.get("http://a.test/", client) } }
        for _ in 0..<50 { _ = try await scene.get("http://a.test/", client) }
        await client.flushRecords()
        #expect(delivered.withLock { $0 } >= 50)
        isOver.withLock { $0 = true }
        try await caller.value
        await client.flushRecords()
    }

    @Test("cancelled while it waits for a place: the wait ends, no attempt begins; no span and no entry")
    func cancelledWait() async throws {
        let scene = Scene { $0.on(.get, "/**", .stall) }
        let limiter = ConcurrencyLimiter(total: 1)
        let client = scene.client.limit(limiter).retry()
        let first = Task { try await scene.get("http://a.test/first", client) }
        try await scene.mock.waitForRequests(1)
        let second = Task { try await scene.get("http://a.test/second", client) }
        await until { limiter.callsWaiting == 1 }
        await second.cancelAndWait()
        await first.cancelAndWait()

        let record = try await scene.record { $0.last }
        #expect(record.isCancelled)
        #expect(record.waitEnds == [.cancelled])
        #expect(record.attempts == 0)
        #expect(try record.spans().isEmpty)
        #expect(try record.entries().isEmpty)
    }

    @Test("a deadline between two attempts: a back-off beyond it does not begin, a wait that reaches it ends with it")
    func deadlineBetween() async throws {
        let scene = Scene { $0.on(.get, "/**", .status(503, headers: ["Retry-After": "10"])) }
        let client = scene.client.retry().set(deadline: .seconds(5))
        await #expect(throws: NetworkError.self) { try await scene.get("http://a.test/", client) }
        let refused = try await scene.record()
        #expect(refused.waitEnds == [])
        let reasons = refused.events.compactMap { event -> String? in
            if case .retryDecided(let decision) = event.kind { decision.reason } else { nil }
        }
        #expect(reasons.count == 1 && reasons[0].contains("deadline"))

        let busy = Scene { $0.on(.get, "/**", .stall) }
        let limiter = ConcurrencyLimiter(total: 1)
        let first = Task { try await busy.get("http://a.test/first", busy.client.limit(limiter)) }
        try await busy.mock.waitForRequests(1)
        let limited = busy.client.limit(limiter).set(deadline: .seconds(5))
        let second = Task { try await busy.get("http://a.test/second", limited) }
        await until { limiter.callsWaiting == 1 }
        busy.clock.advance(by: .seconds(5))
        _ = await second.result
        await first.cancelAndWait()
        let waited = try await busy.record { $0.last }
        #expect(waited.waitEnds == [.deadline])
        #expect(waited.duration == .seconds(5))
    }

    @Test("two hedges: the loser's late error is neither the call's nor a second end; its span is no failure")
    func lateLoser() async throws {
        let scene = Scene { mock in
            mock.on(.get, "/**", MockResponse.failure(.connectionLost).delayed(by: .seconds(9)), .text("second"))
        }
        let call = Task { try await scene.get("http://a.test/", scene.client.hedge(after: .seconds(1))) }
        try await scene.mock.waitForRequests(1)
        await until { scene.clock.sleepers.count >= 2 }
        scene.clock.advance(by: .seconds(1))
        #expect(try await call.value == "second")
        scene.clock.advance(by: .seconds(20))
        try await scene.mock.waitUntilIdle()
        // The record is complete when the loser's exchange has ended, too.
        await until { !scene.recorder.records.isEmpty }

        let record = try await scene.record()
        #expect(record.isCompleted)
        #expect(record.exchangeCount == 2)
        let results = record.exchangeEnds.map(\.result)
        #expect(results.count == 2 && Set(results) == [.complete, .cancelled])
        #expect(record.count { if case .callEnded = $0 { true } else { false } } == 1)
        #expect(try record.spans().allSatisfy { $0["status"]?["code"] == nil })
    }

    @Test("a coalesced caller leaves, the leader goes on: its record ends; when the last one leaves, the exchange does")
    func coalesced() async throws {
        let scene = Scene { $0.on(.get, "/**", .stall) }
        let client = scene.client.coalesce()
        let leader = Task { try await scene.get("http://a.test/", client) }
        try await scene.mock.waitForRequests(1)
        let follower = Task { try await scene.get("http://a.test/", client) }
        await until { client.callsCoalesced == 2 }
        await follower.cancelAndWait()

        let left = try await scene.record()
        #expect(left.isCancelled)
        #expect(left.exchangeCount == 0)
        #expect(left.waitEnds == [.cancelled])
        #expect(scene.mock.callsInFlight == 1)
        await leader.cancelAndWait()
        try await scene.mock.waitForCancellation(1)
        try await scene.mock.waitUntilIdle()
        await until { scene.recorder.records.count == 2 }
        let led = try await scene.record()
        #expect(led.exchangeEnds.map(\.result) == [.cancelled])
        #expect(scene.mock.requests.count == 1)
    }

    @Test(
        "the caller that began a shared request leaves before it is sent: it is in that call's record, and counted once",
        arguments: [false, true]
    )
    func leaderLeaves(isCountedOnly: Bool) async throws {
        let scene = Scene { mock in
            mock.on(.get, "/first", .stall)
            mock.on(.get, "/shared", .text("in"))
        }
        let limiter = ConcurrencyLimiter(total: 1)
        let metrics = CallMetrics()
        let bare = Client(transport: scene.mock, clock: CallClock(scene.clock), seed: 1)
        let client = (isCountedOnly ? bare : scene.client).limit(limiter).retry().coalesce().record(to: metrics)
        let first = Task { try await scene.get("http://a.test/first", client) }
        try await scene.mock.waitForRequests(1)
        let leader = Task { try await scene.get("http://a.test/shared", client) }
        await until { limiter.callsWaiting == 1 }
        let follower = Task { try await scene.get("http://a.test/shared", client) }
        await until { client.callsCoalesced == 3 }
        await leader.cancelAndWait()
        await first.cancelAndWait()
        #expect(try await follower.value == "in")

        try await scene.mock.waitUntilIdle()
        await until { metrics.prometheus.contains(#"corenetkit_client_calls_total{outcome="cancelled"} 2"#) }
        #expect(metrics.prometheus.total("http_client_request_duration_seconds_count") == 2)
        guard !isCountedOnly else { return }
        await until { scene.recorder.records.count == 3 }
        let record = try await scene.record { $0.dropFirst().first }
        #expect(record.isCancelled)
        #expect(record.exchangeEnds.map(\.result) == [.complete])
        #expect(try record.entries().count == 1)
        #expect(try record.spans().count == 1)
    }

    @Test(
        "a stream dropped unread, or read after the call's end: one late end of its exchange",
        arguments: [true, false]
    )
    func lateStream(isRead: Bool) async throws {
        let scene = Scene { $0.on(.get, "/**", .chunks("one", "two")) }
        let chain: Chain<Void, ResponseStream> = UrlChainsBuilder(client: scene.client)
            .route(.get, "http://a.test/")
            .loadStream()
        var stream: ResponseStream? = try await chain.process()
        #expect(await scene.records().isEmpty)
        if isRead, let stream { for try await _ in stream {} }
        stream = nil
        await until { !scene.recorder.records.isEmpty }

        let record = try await scene.record()
        #expect(record.exchangeEnds.map(\.result) == [isRead ? .complete : .cancelled])
        #expect(record.exchangeEnds.first?.bytesRead == (isRead ? 6 : 0))
        let isLast = if case .exchangeEnded? = record.events.last?.kind { true } else { false }
        #expect(isLast)
    }

    @Test("401, refresh, again: the refresh is a call with its own record, and the numbers stay")
    func refreshCall() async throws {
        let scene = Scene { mock in
            mock.on(.get, "/private") { $0.headers["Authorization"] == "Bearer new" ? .text("in") : .status(401) }
            mock.on(.post, "/token", .text("new"))
        }
        let refresher = TokenRefresher(token: AccessToken("old"), origins: .only(["http://a.test"])) { _ in
            AccessToken(try await scene.client.text("http://a.test/token", by: .post))
        }
        #expect(try await scene.get("http://a.test/private", scene.client.authorize(refresher).retry()) == "in")

        let records = await scene.records()
        #expect(records.count == 2)
        for record in records { #expect(record.problems == []) }
        #expect(records[0].sent.map(\.cause) == [.first, .again])
        #expect(records[0].attempts == 1)
        #expect(records[1].exchangeCount == 1)
        #expect(records[0].call != records[1].call)
        #expect(try records[0].spans().map { $0.attribute("http.request.resend_count") } == [nil, "1"])
    }

    @Test("failed before the wire: no span, an entry with status 0, and no sample among the durations")
    func beforeWire() async throws {
        let scene = Scene { $0.on(.get, "/**", .ok) }
        let breaker = CircuitBreaker(minimumCalls: 1, pause: .seconds(60))
        let failing = Client(transport: FailingTransport(.cannotConnect), clock: CallClock(scene.clock))
            .record(in: scene.recorder)
            .breaker(breaker)
        for _ in 0..<2 { _ = try? await scene.get("http://a.test/", failing) }
        await failing.flushRecords()
        let record = try await scene.record { $0.last }
        guard case .failed(let failure) = record.outcome else {
            Issue.record("the open breaker let the call pass")
            return
        }
        #expect(failure.code == .circuitOpen)
        #expect(try record.spans().isEmpty)
        let entries = try record.entries()
        #expect(entries.map { $0["response"]?["status"]?.int } == [0])
        #expect(entries.first?["response"]?["_error"]?.string == "circuitOpen")
        let metrics = CallMetrics()
        metrics.write(record)
        #expect(!metrics.prometheus.contains("request_duration"))
        #expect(metrics.prometheus.contains(#"corenetkit_client_calls_total{outcome="failed"} 1"#))
    }
}
