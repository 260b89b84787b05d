import CoreNetKitCurl
import CoreNetKitURLSession
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

let page = URL(string: "http://settings.test/page") ?? URL(filePath: "/")

/// A client whose server always responds with a few bytes.
func client(_ reply: MockResponse = .text("[1]").header("Cache-Control", "max-age=60")) -> Client {
    Client(transport: MockTransport { $0.on(nil, "/**", reply) })
}

func call(_ client: Client, _ method: HTTPMethod = .get, _ url: URL = page) async throws {
    let chain: Chain<Void, Data> = UrlChainsBuilder(client: client).route(method, url).loadData()
    _ = try await chain.process() as Data
}

let coreRows: [SettingRow] = callRows + limitRows + recoveryRows + transportRows

private let callRows = [
    SettingRow("CallClock.sleep(until:)") { try await CallClock.continuous.sleep(until: $0.duration(.zero)) },
    SettingRow("CallClock.within(_:isolation:_:)") { extreme in
        _ = await CallClock.continuous.within(extreme.duration(.seconds(1))) { 1 }
    },
    SettingRow("Chain.init(_:deadline:clock:log:)") { extreme in
        let echo = AnyNode<Int, Int>("Echo") { input, context in
            _ = context.remaining
            return input
        }
        _ = try await Chain(echo, deadline: extreme.duration(.seconds(1))).process(1) as Int
    },
    SettingRow("ChainConfiguration.deadline", "PolicyHolder.set(deadline:)") { extreme in
        try await call(client().set(deadline: extreme.duration(.seconds(1))))
    },
    SettingRow("RequestContext.deadline", "RequestContext.init(deadline:clock:)") { extreme in
        var context = RequestContext(deadline: extreme.duration(.seconds(1)))
        _ = context.remaining
        context.deadline = extreme.duration(.seconds(1))
        _ = context.remaining
    },
    SettingRow("Client.init(base:transport:clock:seed:date:)", "ChainConfiguration.init(transport:clock:date:seed:)") {
        extreme in
        let transport = MockTransport { $0.on(nil, "/**", .ok) }
        let date = extreme.date(Date())
        try await call(Client(transport: transport, seed: extreme.int(7)) { date }.retry())
    },
    SettingRow("Client.CallGroup.shutdown(within:clock:)") { extreme in
        let group = Client.CallGroup()
        try await call(client().group(group))
        await group.shutdown(within: extreme.duration(.seconds(1)))
    },
    SettingRow("PolicyHolder.signOut(within:keeping:and:)") { extreme in
        _ = await client().signOut(within: extreme.duration(.seconds(1)))
    },
    SettingRow("PolicyHolder.onRedirect(limit:_:)", "PolicyHolder.set(redirectLimit:)") { extreme in
        let moved = MockTransport { mock in
            mock.on(nil, "/page", .status(302, headers: ["Location": "/next"]))
            mock.on(nil, "/next", .ok)
        }
        try? await call(Client(transport: moved).onRedirect(limit: extreme.int(3)) { _ in .follow })
        try await call(Client(transport: moved).set(redirectLimit: extreme.int(3)))
    },
    SettingRow("RequestHolder.set(responseLimit:)", "ResponseDelivery.collect(limit:)") { extreme in
        try await call(client().set(responseLimit: extreme.int(64)))
    },
    SettingRow("RequestBody.collect(limit:)", "ResponseBody.collect(limit:)") { extreme in
        _ = try? await RequestBody.bytes(Data(count: 10)).collect(limit: extreme.int(64))
        _ = try await ResponseBody.bytes(Data(count: 10)).collect(limit: extreme.int(64))
    },
    SettingRow("RequestBody.stream(length:isReplayable:_:)") { extreme in
        let length = extreme.int(Int64(3))
        let body = RequestBody.stream(length: length, isReplayable: true) {
            AsyncThrowingStream { continuation in
                continuation.yield(Data("abc".utf8))
                continuation.finish()
            }
        }
        let server = try LoopbackServer { _ in .text("ok") }
        defer { server.stop() }
        for transport in [CurlTransport(), URLSessionTransport()] as [any Transport] {
            _ = try? await transport.send(TransportRequest(method: .post, url: server.url, body: body))
        }
    },
    SettingRow("FailedResponse.excerpt(_:)") { extreme in
        _ = FailedResponse(status: 400, body: Data("some text".utf8), url: page).excerpt(extreme.int(4))
    },
    SettingRow([
        "Timeouts.connect", "Timeouts.firstByte", "Timeouts.idle", "Timeouts.total",
        "Timeouts.init(connect:firstByte:idle:total:)",
    ]) { extreme in
        let limits = Timeouts(
            connect: extreme.duration(.seconds(5)),
            firstByte: extreme.duration(.seconds(5)),
            idle: extreme.duration(.seconds(5)),
            total: extreme.duration(.seconds(5))
        )
        let server = try LoopbackServer { _ in .text("ok") }
        defer { server.stop() }
        for transport in [CurlTransport(), URLSessionTransport()] as [any Transport] {
            _ = try? await transport.send(TransportRequest(url: server.url, timeouts: limits))
        }
        try await call(client().set(timeouts: limits))
    },
]

private let limitRows = [
    SettingRow("Client.limit(perHost:total:)", "ConcurrencyLimiter.init(total:perHost:)") { extreme in
        try? await call(client().limit(perHost: extreme.int(2), total: extreme.int(4)))
        try await call(client().limit(ConcurrencyLimiter(total: extreme.int(4), perHost: extreme.int(2))))
    },
    SettingRow("ConcurrencyLimiter.adaptive(atLeast:atMost:)") { extreme in
        try await call(client().limit(.adaptive(atLeast: extreme.int(1), atMost: extreme.int(10))))
    },
    SettingRow("Client.rate(_:per:burst:)") { extreme in
        try await call(client().rate(extreme.int(10), per: extreme.duration(.seconds(1)), burst: extreme.int(2)))
    },
    SettingRow("RateLimiter.init(_:per:burst:)") { extreme in
        let limiter = RateLimiter(extreme.int(1000), per: extreme.duration(.seconds(1)), burst: extreme.int(2))
        for _ in 0..<3 { try await call(client().rate(limiter)) }
    },
    SettingRow("PolicyHolder.debounce(_:for:in:)") { extreme in
        try await call(client().debounce("key", for: extreme.duration(.milliseconds(1)), in: Debouncer()))
    },
    SettingRow("PolicyHolder.throttle(_:for:in:)") { extreme in
        let (debouncer, time) = (Debouncer(), extreme.duration(.milliseconds(1)))
        for _ in 0..<2 { try await call(client().throttle("key", for: time, in: debouncer)) }
    },
    SettingRow("PolicyHolder.hedge(after:)", "Hedger.Delay.fixed(_:)") { extreme in
        try await call(client().hedge(after: extreme.duration(.milliseconds(10))))
    },
    SettingRow("Hedger.Delay.percentile(_:)") { extreme in
        let client = client().hedge(Hedger(after: .percentile(extreme.double(95))))
        for _ in 0..<3 { try await call(client) }
    },
    SettingRow([
        "PolicyHolder.log(contents:)", "LogConfiguration.contents",
        "LogConfiguration.init(to:level:isOnlyForFailures:excluded:contents:)",
        "LogTree.init(_:level:excluding:contents:)",
    ]) { extreme in
        let shown = extreme.int(10)
        let trees = ClosureCallSink { record in _ = LogTree(record, contents: shown).description }
        var refused = client(.text("refused", status: 422)).record(to: trees).log(contents: shown)
        refused.configuration.log = LogConfiguration(to: RecordingSink(), contents: shown)
        refused.configuration.log?.contents = shown
        do { try await call(refused) } catch let error as NetworkError { _ = error.description }
        await refused.flushRecords()
    },
    SettingRow("PolicyHolder.record(to:limit:keepingBodies:)") { extreme in
        let client = client().record(to: RecordingSink(), limit: extreme.int(10))
        try await call(client)
        await client.flushRecords()
    },
]

private let recoveryRows = [
    SettingRow("CircuitBreaker.init(ratio:minimumCalls:window:pause:counts:)") { extreme in
        let breaker = CircuitBreaker(
            ratio: extreme.double(0.5),
            minimumCalls: extreme.int(1),
            window: extreme.duration(.seconds(10)),
            pause: extreme.duration(.milliseconds(1))
        )
        for status in [500, 500, 200] { try? await call(client(.status(status)).breaker(breaker)) }
    },
    SettingRow("RetryBudget.init(ratio:floor:)") { extreme in
        let budget = RetryBudget(ratio: extreme.double(0.2), floor: extreme.int(10))
        let policy = RetryPolicy(limit: 2, backoff: .exponential(base: .milliseconds(1), cap: .milliseconds(2)))
        for _ in 0..<3 { try? await call(client(.status(503)).retry(policy).retryBudget(budget)) }
    },
    SettingRow([
        "RetryPolicy.Backoff.base", "RetryPolicy.Backoff.cap", "RetryPolicy.Backoff.exponential(base:cap:)",
        "RetryPolicy.Backoff.ceiling(afterFailures:)",
    ]) { extreme in
        var backoff = RetryPolicy.Backoff.exponential(
            base: extreme.duration(.milliseconds(1)),
            cap: extreme.duration(.milliseconds(2))
        )
        _ = backoff.ceiling(afterFailures: extreme.int(3))
        try? await call(client(.status(503)).retry(RetryPolicy(limit: 2, backoff: backoff)))
        (backoff.base, backoff.cap) = (extreme.duration(.milliseconds(1)), extreme.duration(.milliseconds(2)))
        try await call(client(.status(503)).retry(RetryPolicy(limit: 2, backoff: backoff)))
    },
    SettingRow([
        "RetryPolicy.init(limit:backoff:longestRetryAfter:statuses:retriesUnsafeMethodsAfter429:decide:)",
        "RetryPolicy.limit",
        "RetryPolicy.longestRetryAfter",
    ]) { extreme in
        let backoff = RetryPolicy.Backoff.exponential(base: .milliseconds(1), cap: .milliseconds(1))
        var policy = RetryPolicy(
            limit: extreme.int(2),
            backoff: backoff,
            longestRetryAfter: extreme.duration(.seconds(60))
        )
        try? await call(client(.status(503, headers: ["Retry-After": "0"])).retry(policy))
        (policy.limit, policy.longestRetryAfter) = (extreme.int(2), extreme.duration(.seconds(60)))
        try await call(client(.status(503)).retry(policy))
    },
    SettingRow("AccessToken.expires", "AccessToken.init(_:expires:)") { extreme in
        var token = AccessToken("a", expires: extreme.date(.now + 3600))
        token.expires = extreme.date(.now + 3600)
        let refresher = TokenRefresher(token: token, origins: .any) { _ in AccessToken("b") }
        try await call(client().authorize(refresher))
    },
    SettingRow("TokenRefresher.init(token:origins:user:margin:timeout:coolDown:fields:refuses:save:refresh:)") {
        extreme in
        let refresher = TokenRefresher(
            token: AccessToken("a", expires: .now),
            origins: .any,
            margin: extreme.duration(.seconds(30)),
            timeout: extreme.duration(.seconds(30)),
            coolDown: extreme.duration(.seconds(30))
        ) { _ in AccessToken("b", expires: .now) }
        for _ in 0..<2 { try? await call(client(.status(401)).authorize(refresher)) }
    },
]

private let transportRows = [
    SettingRow([
        "CurlTransport.Configuration.Decompression.limit", "CurlTransport.Configuration.Decompression.ratio",
        "CurlTransport.Configuration.connectionLifetime", "CurlTransport.Configuration.connectionsPerHost",
        "CurlTransport.Configuration.http2PingInterval", "CurlTransport.Configuration.idleConnectionLifetime",
        "CurlTransport.Configuration.loops", "CurlTransport.Configuration.totalConnections",
        "CurlTransport.Configuration.waitingLimit", "CurlTransport.Configuration.KeepAlive.idle",
        "CurlTransport.Configuration.KeepAlive.interval",
    ]) { extreme in
        let server = try LoopbackServer { _ in .text("ok") }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.decompression.limit = extreme.int(1 << 20)
        configuration.decompression.ratio = extreme.int(100)
        configuration.connectionLifetime = extreme.duration(.seconds(60))
        configuration.connectionsPerHost = extreme.int(6)
        configuration.http2PingInterval = extreme.duration(.seconds(60))
        configuration.idleConnectionLifetime = extreme.duration(.seconds(60))
        configuration.loops = extreme.int(1)
        configuration.totalConnections = extreme.int(64)
        configuration.waitingLimit = extreme.int(64)
        var keepAlive = CurlTransport.Configuration.KeepAlive()
        (keepAlive.idle, keepAlive.interval) = (extreme.duration(.seconds(60)), extreme.duration(.seconds(60)))
        configuration.keepAlive = keepAlive
        let transport = CurlTransport(configuration: configuration)
        for _ in 0..<2 { _ = try? await transport.send(TransportRequest(url: server.url)) }
    },
    SettingRow("URLSessionTransport.Configuration.connectionsPerHost", "URLRequest.init(_:limit:)") { extreme in
        let server = try LoopbackServer { _ in .text("ok") }
        defer { server.stop() }
        var configuration = URLSessionTransport.Configuration()
        configuration.connectionsPerHost = extreme.int(6)
        _ = try? await URLSessionTransport(configuration: configuration).send(TransportRequest(url: server.url))
        _ = try await URLRequest(
            TransportRequest(method: .post, url: page, body: .bytes(Data(count: 9))),
            limit: extreme.int(64)
        )
    },
]
