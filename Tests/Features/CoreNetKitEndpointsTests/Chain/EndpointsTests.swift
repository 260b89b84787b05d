import CoreNetKitEndpoints
import CoreNetKitObservability
import TestSupport

/// Two members of a logical origin on a mock.
struct TwoMembers {
    let mock = MockTransport()
    let clock = ManualClock()
    let api: Endpoints
    private let callClock: CallClock

    init(
        _ members: [Endpoints.Member] = ["https://a.test", "https://b.test"],
        _ strategy: Endpoints.Strategy = .ordered()
    ) {
        callClock = CallClock(clock)
        api = Endpoints("https://api.test", members, choosing: strategy)
        mock.on(nil, "https://a.test/**", .text("a"))
        mock.on(nil, "https://b.test/**", .text("b"))
        mock.on(nil, "https://api.test/**", .text("api"))
    }

    var client: Client { Client(transport: mock, clock: callClock).endpoints(api) }

    /// The hosts of the requests so far.
    var hosts: [String] { mock.requests.map { $0.url.host() ?? "" } }

    func get(_ client: Client, _ url: String = "https://api.test/x", method: HTTPMethod = .get) async throws -> String {
        try await UrlChainsBuilder<String>(client: client).route(method, url).set(deadline: nil).build().call()
    }

    func isEjected(_ index: Int) -> Bool { api.state[index].ejectedUntil != nil }

    /// Lets the first member respond like this, so often at first or always.
    func first(times: Int? = nil, _ reply: MockResponse) { mock.on(nil, "https://a.test/**", times: times, reply) }
}

@Suite("Endpoints", .timeLimit(.minutes(10)), .paced)
struct EndpointsTests {
    private let two = TwoMembers()

    // MARK: - Choice

    @Test("a request goes to a member, with path and query; its response names the logical origin")
    func moves() async throws {
        let chain: Chain<Void, Response<String>> = UrlChainsBuilder<String>(client: two.client)
            .route(.get, "https://api.test/x/%2F?q=1").build()
        let response = try await chain.call()
        #expect(two.mock.requests.map(\.url.absoluteString) == ["https://a.test/x/%2F?q=1"])
        #expect(response.model == "a" && response.url.absoluteString == "https://api.test/x/%2F?q=1")
    }

    @Test(
        "the logical origin may be spelled in other ways; other origins are left alone",
        arguments: [
            "https://API.test/x", "https://api.test:443/x", "https://other.test/x", "http://api.test/x",
            "https://api.test:8443/x", "https://api.test.other/x",
        ]
    )
    func origins(_ url: String) async throws {
        let isOurs = url == "https://API.test/x" || url == "https://api.test:443/x"
        if !isOurs { two.mock.on(nil, url, .text("other")) }
        #expect(try await two.get(two.client, url) == (isOurs ? "a" : "other"))
        #expect(two.mock.requests.map(\.url.absoluteString) == [isOurs ? "https://a.test/x" : url])
    }

    @Test("a builder switches it off")
    func off() async throws { #expect(try await two.get(two.client.without(.endpoint)) == "api") }

    @Test("each retry takes another member, and begins again with the first when all were tried")
    func retries() async throws {
        two.first(times: 2, .status(500))
        two.mock.on(nil, "https://b.test/**", times: 1, .status(500))
        let client = two.client.retry(.init(limit: 3))
        let call = Task { try await two.get(client) }
        for _ in 0..<3 { try await two.clock.advanceToNextSleeper() }
        #expect(try await call.value == "b")
        #expect(two.hosts == ["a.test", "b.test", "a.test", "b.test"])
    }

    @Test("a hedged request takes another member")
    func hedges() async throws {
        two.first(.stall)
        let client = two.client.hedge(after: .seconds(1))
        let call = Task { try await two.get(client) }
        try await two.mock.waitForRequests(1)
        try await two.clock.advanceToNextSleeper()
        #expect(try await call.value == "b")
        #expect(two.hosts == ["a.test", "b.test"])
        await until { two.api.state.allSatisfy { $0.inFlight == 0 } }
        #expect(two.api.state.map(\.inFlight) == [0, 0])
    }

    // MARK: - Moving on

    @Test("a member that was not reached is followed by the next at once, even for a POST and without a retry policy")
    func refused() async throws {
        two.first(.failure(.cannotConnect))
        for method in [HTTPMethod.get, .post] { #expect(try await two.get(two.client, method: method) == "b") }
        #expect(two.hosts == ["a.test", "b.test", "a.test", "b.test"])
    }

    @Test(
        "what the server may have seen is a matter of the retry policy, and a POST without a key stays where it was",
        arguments: [.status(500), .failure(.connectionLost)] as [MockResponse]
    )
    func seen(_ reply: MockResponse) async throws {
        two.first(reply)
        for method in [HTTPMethod.get, .post] {
            await #expect(throws: NetworkError.self) { try await two.get(two.client, method: method) }
        }
        await #expect(throws: NetworkError.self) { try await two.get(two.client.retry(.standard), method: .post) }
        #expect(!two.hosts.contains("b.test"))
    }

    @Test("a member that asks to wait is followed by the next at once, and rests", arguments: [429, 503])
    func rests(_ status: Int) async throws {
        two.first(.status(status, headers: ["Retry-After": "30"]))
        for _ in 0..<2 { #expect(try await two.get(two.client.retry(.standard)) == "b") }
        #expect(two.hosts == ["a.test", "b.test", "b.test"])
        #expect(two.api.state[0].restingUntil == .seconds(30))
    }

    @Test("if no member can be reached, the call ends with the last failure, each member tried once")
    func noneReached() async throws {
        for host in ["a", "b"] { two.mock.on(nil, "https://\(host).test/**", .failure(.cannotConnect)) }
        let error = await failure { _ = try await two.get(two.client) }
        #expect(error?.code == .cannotConnect && two.hosts == ["a.test", "b.test"])
    }

    @Test("moving on counts in the retry budget")
    func budget() async throws {
        two.first(.failure(.cannotConnect))
        let client = two.client.retryBudget(RetryBudget(ratio: 0, floor: 1))
        #expect(try await two.get(client) == "b")
        await #expect(throws: NetworkError.self) { try await two.get(client) }
    }

    @Test("a failure of this side, a cancelled call and a 404 say nothing bad about a member")
    func innocent() async throws {
        two.first(.status(404))
        for _ in 0..<4 { await #expect(throws: NetworkError.self) { try await two.get(two.client) } }
        two.first(.stall)
        for _ in 0..<4 {
            let call = Task { try await two.get(two.client) }
            try await two.mock.waitForRequests(two.mock.requests.count + 1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        #expect(!two.isEjected(0) && two.api.state[0].inFlight == 0)
    }

    // MARK: - Health

    @Test("three failures eject a member, the probe after ten seconds returns it, and log and page show it")
    func health() async throws {
        two.first(times: 3, .failure(.cannotConnect))
        let sink = RecordingSink()
        let client = two.client.log(to: sink).record(to: sink)
        for _ in 0..<4 { #expect(try await two.get(client) == "b") }
        #expect(two.isEjected(0) && two.hosts.suffix(1) == ["b.test"])
        two.clock.advance(by: .seconds(70))
        #expect(try await two.get(client) == "a")
        #expect(!two.isEjected(0))
        await client.flushRecords()
        #expect(sink.records.flatMap(\.problems) == [])
        let lines = sink.logTrees.map(\.description).joined(separator: "\n")
        for text in [
            "https://a.test is chosen", "https://a.test is ejected: it gets no requests for 10 s",
            "https://a.test is probed", "https://a.test is returned",
        ] {
            #expect(lines.contains(text), "\(lines)")
            #expect(CallPage(sink.records).html.contains(text))
        }
    }

    @Test(
        "ejections, failovers, probes and returns are counted, and the health of members is a gauge",
        arguments: [false, true]
    )
    func counters(_ isRecorded: Bool) async throws {
        two.first(times: 3, .failure(.cannotConnect))
        let metrics = CallMetrics()
        metrics.gauge("corenetkit.client.endpoints", "Members by their health.") { [api = two.api] in api.gauges }
        let counted = two.client.record(to: metrics)
        let client = isRecorded ? counted.record(in: CallRecorder()) : counted
        func expect(_ lines: [String]) {
            let text = metrics.prometheus
            for line in lines { #expect(text.contains("\ncorenetkit_client_endpoint\(line)\n"), "\(text)") }
        }
        let labels = #"server_address="api.test",server_port="443""#
        for _ in 0..<4 { _ = try await two.get(client) }
        expect([
            #"_ejections_total{corenetkit_endpoint="https://a.test"} 1"#,
            #"_failovers_total{corenetkit_endpoint="https://b.test"} 3"#, #"s{\#(labels),state="ejected"} 1"#,
            #"s{\#(labels),state="in_use"} 1"#, #"s{\#(labels),state="resting"} 0"#,
        ])
        two.clock.advance(by: .seconds(70))
        _ = try await two.get(client)
        expect([
            #"_probes_total{corenetkit_endpoint="https://a.test"} 1"#,
            #"_returns_total{corenetkit_endpoint="https://a.test"} 1"#, #"s{\#(labels),state="in_use"} 2"#,
        ])
        let otlp = String(decoding: metrics.otlp(service: "s"), as: UTF8.self)
        #expect(otlp.contains("corenetkit.client.endpoints") && otlp.contains("corenetkit.client.endpoint.ejections"))
    }

    @Test("metrics and spans name the logical origin, with the member beside it", arguments: [false, true])
    func labels(_ isRecorded: Bool) async throws {
        let two = TwoMembers(["https://a.test", "https://b.test"], .roundRobin)
        let (metrics, recorder) = (CallMetrics(), CallRecorder())
        var client = two.client.record(to: metrics).record(to: metrics.activeRequests)
        if isRecorded { client = client.record(in: recorder) }
        for _ in 0..<4 { _ = try await two.get(client) }
        await client.flushRecords()
        let lines = metrics.prometheus.split(separator: "\n").filter { $0.hasPrefix("http_client_") }
        #expect(lines.allSatisfy { $0.contains(#"server_address="api.test",server_port="443""#) })
        for member in ["https://a.test", "https://b.test"] {
            let own = lines.filter { $0.contains(#"corenetkit_endpoint="\#(member)""#) }
            #expect(own.contains { $0.hasPrefix("http_client_request_duration_seconds_count") && $0.hasSuffix(" 2") })
            #expect(own.contains { $0.hasPrefix("http_client_active_requests") })
        }
        guard isRecorded else { return }
        let spans = String(decoding: OTLPTraces.data(of: recorder.records, service: "s"), as: UTF8.self)
        for text in [
            #"{"key":"server.address","value":{"stringValue":"api.test"}}"#,
            #"{"key":"corenetkit.endpoint","value":{"stringValue":"https://b.test"}}"#,
            #"{"key":"url.full","value":{"stringValue":"https://b.test/x"}}"#,
        ] {
            #expect(spans.contains(text), "\(spans)")
        }
    }

    @Test("the return of the network lets the first be tried at once")
    func network() async throws {
        two.first(times: 3, .failure(.cannotConnect))
        let network = StateFeed(NetworkState(isReachable: true))
        let client = two.client.with(NetworkReturn(network, by: true))
        for _ in 0..<4 { #expect(try await two.get(client) == "b") }
        for isReachable in [false, true] { network.change { $0 = $0.followed(by: isReachable) } }
        #expect(try await two.get(client) == "a")
    }

    @Test("the state is a stream: at once, and after each change of health")
    func updates() async throws {
        two.first(times: 3, .failure(.cannotConnect))
        var updates = two.api.updates.makeAsyncIterator()
        #expect(await updates.next()?.map { $0.ejectedUntil != nil } == [false, false])
        for _ in 0..<3 { _ = try await two.get(two.client) }
        #expect(await updates.next()?.map { $0.ejectedUntil != nil } == [true, false])
    }

    // MARK: - Settings

    @Test(
        "settings that cannot work fail each call with invalidChain, which names them",
        arguments: [
            ("https://api.test", [], "has no members"),
            ("api.test", ["https://a.test"], "the logical origin"),
            ("https://api.test/v1", ["https://a.test"], "the logical origin"),
            ("https://api.test", ["https://a.test/v1"], "is not scheme, host and port"),
            ("https://api.test", ["https://u:p@a.test"], "is not scheme, host and port"),
            ("https://api.test", ["http://a.test"], "would lower https to http"),
            ("https://api.test", ["https://a.test", "https://A.test:443/"], "is named twice"),
            ("https://api.test", [.init("https://a.test", weight: 0)], "weight 0"),
            ("https://api.test", (0..<65).map { "https://a\($0).test" }, "65 members"),
        ] as [(String, [Endpoints.Member], String)]
    )
    func problems(_ origin: String, _ members: [Endpoints.Member], _ text: String) async {
        let client = Client(transport: two.mock).endpoints(Endpoints(origin, members))
        let error = await failure { _ = try await two.get(client) }
        #expect(error?.code == .invalidChain && error?.message.contains(text) == true, "\(String(describing: error))")
        #expect(error?.message.contains("u:p") != true && two.hosts.isEmpty)
    }

    @Test("a member may say that http is enough")
    func http() async throws {
        let two = TwoMembers([.init("http://a.test", allowsHTTP: true)])
        two.mock.on(nil, "http://a.test/**", .text("plain"))
        #expect(try await two.get(two.client) == "plain")
    }

    @Test("the chain shows the choice and where the URL changes")
    func drawn() {
        let chain: Chain<Void, String> = UrlChainsBuilder<String>(client: two.client.retry(.standard)).route(.get, "/")
            .build()
        let text = chain.description
        for name in ["EndpointMemory", "EndpointNode", "MemberNode"] { #expect(text.contains(name), "\(text)") }
    }
}
