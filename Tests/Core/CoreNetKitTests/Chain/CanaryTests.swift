import CoreNetKitCurl
import TestSupport

/// Marked secrets in every place of a request, looked for wherever they must not come.
@Suite("Secrets stay with their origin", .timeLimit(.minutes(10)), .paced)
struct CanaryTests {
    static let canary = "cANARY7351"

    /// The names of RFC 9110 and the usual ones, and names that tell by themselves.
    static let secretFields = [
        "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Api-Key", "X-Auth-Token",
        "X-Access-Token", "X-Amz-Security-Token", "X-Csrf-Token", "X-Session-Token", "X-Goog-Api-Key", "Client-Secret",
        "X-Hub-Signature",
    ]

    static let elsewhere = [
        "http://b.test/", "//b.test/q", "https://a.test/x", "http://a.test:8080/", "http://sub.a.test/",
        "HTTP://B.TEST:80/x", "http://a.test.b.test/", "http://a.test@b.test/",
    ]

    let requests = Recorder<TransportRequest>()

    /// `a.test` responds by path, all other hosts with 200.
    func transport(status: Int, to location: String) -> ClosureTransport {
        ClosureTransport { request in
            requests.record(request)
            guard Origin(request.url).description == "http://a.test" else {
                return .init(status: 200, url: request.url)
            }
            switch request.url.path {
            case "/first": return .init(status: status, headers: ["Location": "near?x=1"], url: request.url)
            case "/unauthorized" where requests.values.count == 1: return .init(status: 401, url: request.url)
            case "/busy" where requests.values.count == 1: return .init(status: 503, url: request.url)
            default: return .init(status: status, headers: ["Location": location], url: request.url)
            }
        }
    }

    /// The token goes in fields whose names depend on it.
    func refresher(origins: TokenRefresher.Origins = ["http://a.test"]) -> TokenRefresher {
        TokenRefresher(
            token: AccessToken("1-\(Self.canary)"),
            origins: origins,
            fields: { ["X-Own-\($0.value.prefix(1))": $0.value, "X-Proof": $0.value] },
            refresh: { _ in AccessToken("2-\(Self.canary)") }
        )
    }

    func builder(_ transport: ClosureTransport, clock: CallClock = .continuous) -> UrlChainsBuilder<String> {
        let fields = Self.secretFields.map { ($0, "v \(Self.canary)") }
        return UrlChainsBuilder<String>(client: Client(transport: transport, clock: clock, seed: 1))
            .set(headers: Headers(fields))
            .add(provider: ["X-Device-Secret": Self.canary])
            .set(query: ["access_token": Self.canary])
            .authorize(refresher())
    }

    func call(_ builder: UrlChainsBuilder<String>, _ method: HTTPMethod, _ path: String) async throws {
        let chain: Chain<Void, Void> =
            builder
            .route(method, "http://user:\(Self.canary)@a.test\(path)?token=\(Self.canary)#\(Self.canary)").build()
        try await chain.process()
    }

    /// Looks at everything that left for others, and at whether the way there was taken at all.
    func check(_ count: Int) throws {
        #expect(requests.values.count == count)
        #expect(requests.values.first.map { $0.headers["X-Own-1"] != nil && $0.headers["X-Api-Key"] != nil } == true)
        let foreign = requests.values.filter { Origin($0.url).description != "http://a.test" }
        #expect(!foreign.isEmpty)
        for request in foreign {
            let text = request.headers.fields.map { "\($0.name): \($0.value)" } + [request.url.absoluteString]
            #expect(text.filter { $0.contains(Self.canary) } == [])
            #expect(request.body.isEmpty)
        }
    }

    @Test(
        "no secret goes to another origin: each redirect status, via a relative one",
        arguments: [301, 302, 303, 307, 308],
        elsewhere
    )
    func redirects(status: Int, location: String) async throws {
        for method in [HTTPMethod.get, .post] {
            let suite = CanaryTests()
            try await suite.call(suite.builder(suite.transport(status: status, to: location)), method, "/first")
            try suite.check(3)
            // Still there where the origin is the same.
            #expect(suite.requests.values[1].headers["X-Own-1"] != nil)
            #expect(suite.requests.values[1].headers["X-Device-Secret"] != nil)
        }
    }

    @Test("nor does a renewed token whose fields have other names", arguments: elsewhere)
    func renewed(location: String) async throws {
        try await call(builder(transport(status: 302, to: location)), .get, "/unauthorized")
        #expect(requests.values[1].headers["X-Own-2"] != nil)
        try check(3)
    }

    @Test("nor does a second attempt", arguments: elsewhere)
    func retried(location: String) async throws {
        let clock = ManualClock()
        let builder = builder(transport(status: 307, to: location), clock: CallClock(clock)).retry(.standard)
        async let ended: Void = call(builder, .get, "/busy")
        try await clock.advanceToNextSleeper()
        try await ended
        try check(3)
    }

    @Test("a link to a page elsewhere gets no token", arguments: elsewhere.filter { $0.contains("://") })
    func links(link: String) async throws {
        try await UrlChainsBuilder<String>(client: Client(transport: requests.transport()))
            .authorize(refresher()).route(.get, link).build().process()
        let request = try #require(requests.values.first)
        #expect(!request.headers.fields.contains { $0.value.contains(Self.canary) })
    }

    @Test("on a socket, user info and fields do not reach a server on another port", arguments: [302, 307])
    func wire(status: Int) async throws {
        let (ours, theirs) = (try LoopbackServer(), try LoopbackServer())
        theirs.on(.get, "/", .text("ok"))
        ours.on(.get, "/", .status(status).header("Location", theirs.url("/").absoluteString))
        let port = try #require(ours.url("/").port)
        try await UrlChainsBuilder<String>(client: Client())
            .set(headers: ["X-Api-Key": Self.canary, "Cookie": "a=\(Self.canary)"])
            .authorize(refresher(origins: .any))
            .route(.get, "http://user:\(Self.canary)@127.0.0.1:\(port)/").build().process()
        let (first, second) = (try #require(ours.requests.first), try #require(theirs.requests.first))
        #expect(first.headers["X-Api-Key"] == Self.canary && first.headers["X-Own-1"] != nil)
        #expect(second.headers.fields.filter { $0.value.contains(Self.canary) } == [])
        #expect(!second.headers.contains("Authorization"))
    }
}

extension CanaryTests {
    @Test(
        "nothing that can be printed or dumped shows one: clients, builders, chains, configurations, responses, errors"
    )
    func printedSettings() async throws {
        let builder = builder(requests.transport())
            .authorize(user: "u", password: Self.canary)
            .route(.get, "http://user:\(Self.canary)@a.test/?token=\(Self.canary)")
        let client = Client(transport: requests.transport()).set(headers: ["X-Api-Key": Self.canary])
            .add(provider: ["X-Api-Key": Self.canary]).authorize(refresher())
        let chain: Chain<Void, Response<Json>> = builder.build()
        _ = try await chain.process()
        let headers = Headers(Self.secretFields.map { ($0, "v \(Self.canary)") })
        let url = try #require(URL(string: "http://u:\(Self.canary)@a.test/x?token=\(Self.canary)#\(Self.canary)"))
        let failed = FailedResponse(status: 401, headers: headers, body: Data(Self.canary.utf8), url: url)
        var error = NetworkError(.unauthorized, "refused", node: "Test", response: failed)
        error.history = [error]
        var values: [Any] = [
            builder, client, chain, builder.configuration, client.configuration, builder.requestSettings,
            builder.loadData(), builder.loadStream(), refresher(), AccessToken(Self.canary), error,
            Response(model: 1, status: 200, headers: headers, url: url, timings: .init()),
            RequestModel(metadata: headers, payload: Self.canary),
            RoutedRequest(method: .get, route: url, metadata: headers, payload: Self.canary),
        ]
        #if os(Linux)
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .server(
                try #require(URL(string: "http://u:\(Self.canary)@proxy.test:3128")),
                credentials: .init(user: "u", password: Self.canary),
                except: []
            )
            configuration.tls.identity = .pem(
                certificate: Data(Self.canary.utf8),
                key: Data(Self.canary.utf8),
                password: Self.canary
            )
            values += [configuration, CurlTransport(configuration: configuration)] as [Any]
        #endif
        for value in values {
            for text in printed(value) { #expect(!text.contains(Self.canary), "\(type(of: value)): \(text)") }
        }
        // They are not clean because they are empty.
        #expect("\(builder)".hasPrefix("GET String, 14 fields, a query, ClosureTransport, "))
    }

    @Test("neither log lines nor records of a redirected call show one", arguments: [302, 500])
    func logs(status: Int) async throws {
        let sink = RecordingSink()
        let location = "http://u:\(Self.canary)@b.test/?access_token=\(Self.canary)"
        let builder = builder(transport(status: status, to: location)).log(to: sink, level: .debug).record(to: sink)
        var texts: [String] = []
        do {
            try await call(builder, .get, "/x")
        } catch {
            texts += printed(error)
        }
        texts += try await sink.waitForLogTrees(1).flatMap { printed($0) + [$0.description] }
        texts += try await sink.waitForRecords(1).flatMap { printed($0) }
        for text in texts { #expect(!text.contains(Self.canary), "\(text)") }
        #expect(texts.contains { $0.contains("X-Api-Key") })
    }
}
