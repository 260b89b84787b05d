import TestSupport

/// A server that counts requests in periods, for each bucket, and says so in one of the usual forms.
final class QuotaServer: Sendable {
    enum Form: CaseIterable, Sendable {
        case list, dictionary, fields, date, decimal, bucket
    }

    private struct Bucket: Sendable {
        var start = Duration.zero
        var used = 0
    }

    static let quota = 100
    static let period = Duration.seconds(60)

    let clock = ManualClock()
    let wire: Wire

    init(
        _ form: Form,
        latency: Duration = .milliseconds(50),
        bucket: @escaping @Sendable (String) -> String = { _ in "" }
    ) {
        let (clock, buckets) = (clock, Locked<[String: Bucket]>([:]))
        wire = Wire(clock) { _, request in
            try await clock.sleep(for: latency / 2)
            let now = clock.now.offset
            let name = bucket(request.url.path)
            let (isRefused, left, reset) = buckets.withLock { buckets in
                var bucket = buckets[name] ?? Bucket(start: now)
                if now >= bucket.start + Self.period { bucket = Bucket(start: now) }
                let isRefused = bucket.used >= Self.quota
                if !isRefused { bucket.used += 1 }
                buckets[name] = bucket
                return (isRefused, Self.quota - bucket.used, bucket.start + Self.period - now)
            }
            try await clock.sleep(for: latency / 2)
            let headers = Self.headers(form, left, reset, now, name)
            return .init(status: isRefused ? 429 : 200, headers: headers, url: request.url)
        }
    }

    private static func headers(_ form: Form, _ left: Int, _ reset: Duration, _ now: Duration, _ name: String)
        -> Headers
    {
        let seconds = reset / .seconds(1)
        let whole = Int(seconds)
        let end = Int((1_000_000_000 + (now + reset) / .seconds(1)).rounded(.up))
        return switch form {
        case .list: ["RateLimit": #""a";r=\#(left);t=\#(whole)"#, "RateLimit-Policy": #""a";q=\#(quota);w=60"#]
        case .dictionary:
            ["RateLimit": "limit=\(quota), remaining=\(left), reset=\(whole)", "RateLimit-Policy": "100;w=60"]
        case .fields:
            ["RateLimit-Limit": "100, 100;w=60", "RateLimit-Remaining": "\(left)", "RateLimit-Reset": "\(whole + 1)"]
        case .date:
            ["X-RateLimit-Limit": "100", "X-RateLimit-Remaining": "\(left)", "X-RateLimit-Reset": "\(end)"]
        case .decimal: ["X-Rate-Limit-Remaining": "\(left).0", "X-Rate-Limit-Reset": "\(seconds)"]
        case .bucket:
            [
                "X-RateLimit-Limit": "100", "X-RateLimit-Remaining": "\(left)", "X-RateLimit-Reset-After": "\(seconds)",
                "X-RateLimit-Bucket": name,
            ]
        }
    }

    func chain(_ limiter: RateLimiter, _ path: String = "", deadline: Duration? = nil) -> Chain<Void, Void> {
        UrlChainsBuilder<String>(client: wire.client()).rate(limiter).set(deadline: deadline)
            .route(.get, host + path).build()
    }
}

@Suite("A learned rate", .timeLimit(.minutes(10)), .paced)
struct LearnedRateTests {
    @Test("nothing is refused after the first period, and the quota is used", arguments: QuotaServer.Form.allCases)
    func quotaIsUsed(form: QuotaServer.Form) async throws {
        let calls = form == .fields ? 10_000 : 1000
        let server = QuotaServer(form)
        let chain = server.chain(.learning())
        let refused = try await server.clock.running { () async throws -> Int in
            var refused = 0
            for _ in 0..<calls where await failure(of: { try await chain.process() }) != nil { refused += 1 }
            return refused
        }
        #expect(refused == 0)
        let periods = server.clock.now.offset / QuotaServer.period
        #expect(Double(calls) >= 0.95 * Double(QuotaServer.quota) * (periods - 1))
        // The last fifth is spread.
        #expect(server.wire.times[79] < .seconds(10))
        #expect(server.wire.times[99] > .seconds(50))
    }

    @Test("callers at the same time are refused no more than callers in a row", arguments: [3, 20])
    func together(count: Int) async throws {
        let server = QuotaServer(.list, latency: .zero)
        let chain = server.chain(.learning())
        let refused = try await server.clock.running { () async throws -> Int in
            try await concurrently(count) { _ in
                var refused = 0
                for _ in 0..<30 where await failure(of: { try await chain.process() }) != nil { refused += 1 }
                return refused
            }.reduce(0, +)
        }
        #expect(refused == 0)
        #expect(server.wire.count == count * 30)
    }

    @Test("a quota with a name belongs to all routes with that name, and to no other route")
    func buckets() async throws {
        let server = QuotaServer(.bucket, latency: .zero) { $0 == "/b" ? "b" : "a" }
        let limiter = RateLimiter.learning { $0.url.path }
        let (first, other, same) = (
            server.chain(limiter, "/a"), server.chain(limiter, "/b", deadline: .seconds(1)),
            server.chain(limiter, "/c", deadline: .seconds(1))
        )
        try await other.process()
        try await same.process()
        try await server.clock.running { for _ in 0..<99 { try await first.process() } }
        let error = await same.failure
        #expect(error?.code == .rateLimited)
        #expect(error?.retryAfter.map { $0 > .zero } == true)
        try await other.process()
        #expect(server.wire.count == 102)
    }

    @Test("users have quotas of their own")
    func partitions() async throws {
        let wire = Wire(statuses: [200], headers: ["RateLimit": #""a";r=0;t=60"#])
        let limiter = RateLimiter.learning()
        for name in ["ann", "ben"] {
            let chain = wire.chain { $0.rate(limiter).set(partition: Partition(name)).set(deadline: .seconds(5)) }
            try await chain.process()
            #expect(await chain.failure?.code == .rateLimited)
        }
        #expect(wire.count == 2)
    }

    @Test("Retry-After of a refusal holds, also without a quota")
    func retryAfter() async throws {
        let wire = Wire { index, request in
            .init(status: index == 0 ? 429 : 200, headers: index == 0 ? ["Retry-After": "7"] : [:], url: request.url)
        }
        let chain = wire.chain { $0.rate(.learning()) }
        #expect(await chain.failure?.status == 429)
        try await wire.clock.running { try await chain.process() }
        #expect(wire.times == [.zero, .seconds(7)])
    }

    @Test("a cancelled caller leaves its turn to the next", arguments: 0...2)
    func cancelled(index: Int) async throws {
        let wire = Wire(statuses: [200], headers: ["RateLimit": #""a";r=0;t=2.0"#])
        let chain = wire.chain { $0.rate(.learning()).set(deadline: nil) }
        try await chain.process()
        var callers: [Task<Void, any Error>] = []
        for _ in 0...2 { callers.append(chain.start()) }
        try await wire.clock.waitForSleepers(1)
        await cancel(callers[index])
        try await wire.clock.running {
            for (at, caller) in callers.enumerated() where at != index { try await caller.value }
        }
        #expect(wire.count == 3)
    }

    @Test(
        "what cannot be read changes nothing",
        arguments: [
            ["RateLimit": "\"a;r=1"], ["RateLimit": "\"a\";r=x;t=1"], ["RateLimit": ";;,,\"\""],
            ["RateLimit": "\"a\";r=0"],
            ["RateLimit-Remaining": "0"], ["RateLimit-Remaining": "0", "RateLimit-Reset": "soon"],
            ["X-RateLimit-Remaining": "nan", "X-RateLimit-Reset": "60"],
            ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "inf"],
            ["X-RateLimit-Remaining": "-7e300", "X-RateLimit-Reset": "-1e300"],
            ["X-RateLimit-Remaining": "7e300", "X-RateLimit-Reset": "1e300", "X-RateLimit-Limit": "-1"],
            ["RateLimit": "\"a\";r=5;t=60", "RateLimit-Policy": "\"a\";q=0;w=-1"],
        ] as [[String: String]]
    )
    func unreadable(fields: [String: String]) async throws {
        let wire = Wire(statuses: [200], headers: Headers(fields.map { ($0.key, $0.value) }))
        let chain = wire.chain { $0.rate(.learning()).set(deadline: .seconds(30)) }
        try await wire.clock.running { for _ in 0..<3 { try await chain.process() } }
        #expect(wire.count == 3)
    }
}
