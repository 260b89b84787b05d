import CoreNetKitCache
import CoreNetKitCookies
import CoreNetKitObservability
import CoreNetKitOutbox
import CoreNetKitStreams
import TestSupport

/// `TEST_ROUNDS=10000 swift test --filter RecordScheduleTests` tries so many.
///
/// The policies of the features beside those of recovery, in any combination, against a server with faults; callers
/// leave, streams are dropped, entries are delivered later. The random schedules of the recovery tests choose the order
/// of every step; here it is the machine that does.
@Suite("The record of a call", .timeLimit(.minutes(10)), .paced)
struct RecordScheduleTests {
    private static let seeds = TestRounds.seeds(60)

    @Test("is complete with cache, cookies, streams and outbox, whatever fails or leaves", arguments: 0..<2)
    func whole(shard: Int) async throws {
        let folder = try TemporaryFolder()
        let outbox = try Outbox(at: folder["box"])
        var exchanges = 0
        for seed in stride(from: Self.seeds.lowerBound + shard, to: Self.seeds.upperBound, by: 2) {
            let records = try await Story(seed: UInt64(seed), outbox: outbox).run()
            exchanges += records.reduce(0) { $0 + $1.exchangeCount }
            for record in records {
                let problems = record.problems
                #expect(problems == [], "seed \(seed): \(LogTree(record, level: .debug))")
            }
        }
        #expect(exchanges > Self.seeds.count / 4)
    }
}

/// A few calls through one client with policies by chance.
private struct Story {
    private let client: Client
    private let calls: [Call]
    private let outbox: Outbox
    private let ended = Locked<[CallRecord]>([])

    private struct Call: Sendable {
        enum Form: CaseIterable, Sendable {
            case text, stream, dropped, lines, stored
        }

        let form: Form
        let path: String
        let turnsUntilCancel: Int?
    }

    init(seed: UInt64, outbox: Outbox) {
        var random = SplitMix64(seed: seed)
        self.outbox = outbox
        let ended = ended
        let mock = MockTransport { Self.script($0) }
        var client = Client(transport: mock, seed: seed)
            .record(to: ClosureCallSink { record in ended.withLock { $0.append(record) } })
            .set(deadline: .milliseconds(200))
        func rolls(_ sides: UInt64) -> Bool { random.next() % sides == 0 }
        if rolls(2) { client = client.cache(ResponseCache()) }
        if rolls(2) { client = client.cookies(CookieJar()) }
        if rolls(2) { client = client.retry(RetryPolicy(backoff: .exponential(base: .milliseconds(1)))) }
        if rolls(3) { client = client.hedge(after: .milliseconds(2)) }
        if rolls(3) { client = client.coalesce() }
        if rolls(3) { client = client.limit(ConcurrencyLimiter(total: 1)) }
        if rolls(4) { client = client.breaker(CircuitBreaker(minimumCalls: 2, pause: .milliseconds(5))) }
        if rolls(4) { client = client.rate(RateLimiter(500)) }
        self.client = client
        let paths = ["fresh", "stale", "flaky", "away", "broken", "cut", "slow"]
        calls = (0..<3).map { _ in
            Call(
                form: Call.Form.allCases.randomElement(using: &random) ?? .text,
                path: paths.randomElement(using: &random) ?? "fresh",
                turnsUntilCancel: random.next() % 3 == 0 ? Int(random.next() % 60) : nil
            )
        }
    }

    private static func script(_ mock: MockTransport) {
        mock.onUsualPaths()
        let stale = MockResponse.text("stale").header("Cache-Control", "max-age=0")
        mock.on(nil, "/stale", stale.header("ETag", "\"1\""))
        mock.on(nil, "/slow", MockResponse.text("slow").delayed(by: .milliseconds(4)))
    }

    /// Runs all calls and gives the records of all of them.
    func run() async throws -> [CallRecord] {
        var tasks: [Task<Void, Never>] = []
        for call in calls {
            let task = Task { await make(call) }
            tasks.append(task)
            guard let turns = call.turnsUntilCancel else { continue }
            Task {
                for _ in 0..<turns { await Task.yield() }
                task.cancel()
            }
        }
        for task in tasks { await task.value }
        _ = try? await outbox.drain(until: Date().addingTimeInterval(0.02), with: client)
        // Losers of races and dropped streams end a little later than their calls.
        let count = calls.count
        await until { ended.withLock { $0.count } >= count }
        await client.flushRecords()
        return ended.withLock { $0 }
    }

    private func make(_ call: Call) async {
        let builder = UrlChainsBuilder(client: client).route(.get, "http://a.test/\(call.path)")
        switch call.form {
        case .text:
            let chain: Chain<Void, String> = builder.build()
            _ = try? await chain.process()
        case .stream, .dropped:
            let chain: Chain<Void, ResponseStream> = builder.loadStream()
            guard let stream = try? await chain.process() else { return }
            if call.form == .dropped { return }
            do { for try await _ in stream {} } catch {}
        case .lines:
            let chain: Chain<Void, ElementStream<Int>> = builder.lines(reading: .json)
            guard let lines = try? await chain.process() else { return }
            do { for try await _ in lines { return } } catch {}
        case .stored:
            let chain: Chain<Void, OutboxReceipt> = UrlChainsBuilder(client: client.outbox(outbox))
                .route(.post, "http://a.test/\(call.path)")
                .enqueue()
            _ = try? await chain.process()
        }
    }
}

/// What is not released stays until the process ends, with its connections and files: nothing may hold itself.
@Suite("What a client's calls leave behind", .timeLimit(.minutes(10)), .paced)
struct ReleaseTests {
    /// A policy or a listener with what it keeps.
    enum Feature: CaseIterable {
        case none, retry, token, limit, rate, breaker, hedge, coalesce, latest, debounce, cache, cookies, key, group,
            metrics
        case records, recorder, exporter, digest

        func added(to client: Client) -> Client {
            switch self {
            case .none: client
            case .retry: client.retry(RetryPolicy(backoff: .exponential(base: .milliseconds(1))))
            case .token: client.authorize(TokenRefresher(token: AccessToken("1")) { _ in AccessToken("2") })
            case .limit: client.limit(ConcurrencyLimiter(perHost: 1))
            case .rate: client.rate(RateLimiter(10_000))
            case .breaker: client.breaker(CircuitBreaker(minimumCalls: 2, pause: .milliseconds(1)))
            case .hedge: client.hedge(after: .milliseconds(1))
            case .coalesce: client.coalesce()
            case .latest: client.latest("search", in: Debouncer())
            case .debounce: client.debounce("search", for: .milliseconds(1), in: Debouncer())
            case .cache: client.cache(ResponseCache())
            case .cookies: client.cookies(CookieJar())
            case .key: client.idempotencyKey()
            case .group: client.group(Client.CallGroup())
            case .metrics: client.record(to: CallMetrics())
            case .records: client.record(to: ClosureCallSink { _ in })
            case .recorder: client.record(to: CallRecorder())
            case .exporter:
                client.record(to: OTLPExporter(to: url("/"), service: "tests", transport: MockTransport { _ in }))
            case .digest: client.authorize(user: "ann", password: "secret", byDigestTo: .only(["http://a.test"]))
            }
        }
    }

    private static let paths = ["fresh", "stale", "flaky", "away", "broken", "cut", "401"]

    private func script(_ mock: MockTransport) {
        mock.onUsualPaths()
        let stale = MockResponse.text("stale").header("Cache-Control", "max-age=0, stale-while-revalidate=9")
        mock.on(nil, "/stale", stale)
        mock.on(nil, "/401", .status(401), .text("in"))
    }

    @Test("is nothing, whatever policy they have and however they end", arguments: Feature.allCases)
    func released(_ feature: Feature) async throws {
        weak var released: MockTransport?
        do {
            let mock = MockTransport { script($0) }
            released = mock
            await use(feature.added(to: Client(transport: mock, seed: 1)))
        }
        let end = ContinuousClock.now + .seconds(20)
        while released != nil, ContinuousClock.now < end { await Task.yield() }
        #expect(released == nil)
    }

    private func use(_ client: Client) async {
        for path in Self.paths {
            let builder = UrlChainsBuilder(client: client).route(.get, "http://a.test/\(path)")
            let text: Chain<Void, String> = builder.build()
            async let one = try? text.process()
            async let other = try? text.process()
            _ = await (one, other)
            // In callbacks, and left alone.
            let _: Observer<String> = text.process()
            let cancelled = Task { try await text.process() }
            await cancelled.cancelAndWait()
            let whole: Chain<Void, ResponseStream> = builder.loadStream()
            if let stream = try? await whole.process() { do { for try await _ in stream {} } catch {} }
            _ = try? await whole.process()
            let chain: Chain<Void, ElementStream<Int>> = builder.lines(reading: .json)
            if let lines = try? await chain.process() { do { for try await _ in lines { break } } catch {} }
        }
    }
}
