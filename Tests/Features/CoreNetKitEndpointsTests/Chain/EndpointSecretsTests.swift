import CoreNetKitCache
import CoreNetKitCookies
import CoreNetKitStreams
import TestSupport

@testable import CoreNetKitEndpoints

@Suite("What belongs to the logical origin", .timeLimit(.minutes(10)), .paced)
struct EndpointSecretsTests {
    private let two = TwoMembers()

    private func tokens() -> TokenRefresher {
        TokenRefresher(token: AccessToken("t"), origins: .only(["https://api.test"])) { _ in AccessToken("t") }
    }

    @Test("a token of the logical origin goes to members that are named by hand")
    func named() async throws {
        _ = try await two.get(two.client.authorize(tokens()))
        #expect(two.mock.requests.map { $0.headers["Authorization"] } == ["Bearer t"])
    }

    @Test("discovered members get no credentials, unless they are trusted", arguments: [false, true])
    func discovered(_ isTrusted: Bool) async throws {
        let (source, continuation) = AsyncStream.makeStream(of: [Endpoints.Member].self)
        let api = Endpoints("https://api.test", from: source, trusting: isTrusted)
        continuation.yield(["https://a.test", "http://lowered.test"])
        await until { !api.state.isEmpty }
        #expect(api.state.map(\.origin.host) == ["a.test"] && api.state[0].isDiscovered)
        let client = Client(transport: two.mock).endpoints(api).authorize(tokens())
        let body = RequestBody.bytes(Data("b".utf8)).trailer("X-Signature") { "s" }.trailer("X-Sum") { "1" }
        let builder = UrlChainsBuilder<String>(client: client).route(.put, "https://api.test/x")
            .set(headers: ["X-Api-Key": "k", "Accept-Language": "de"]).set(body: body)
        _ = try await (builder.build() as Chain<Void, String>).call()
        let request = try #require(two.mock.requests.first)
        #expect(request.trailers.map(\.name) == (isTrusted ? ["X-Signature", "X-Sum"] : ["X-Sum"]))
        let sent = request.headers
        #expect(sent["Authorization"] == (isTrusted ? "Bearer t" : nil) && sent["X-Api-Key"] == (isTrusted ? "k" : nil))
        #expect(sent["Accept-Language"] == "de")
    }

    @Test("without any member the logical origin gets the requests; a later list replaces an earlier one")
    func lists() async throws {
        let (source, continuation) = AsyncStream.makeStream(of: [Endpoints.Member].self)
        let api = Endpoints("https://api.test", from: source)
        let client = Client(transport: two.mock).endpoints(api)
        #expect(try await two.get(client) == "api")
        for (list, text) in [("https://a.test", "a"), ("https://b.test", "b")] as [(Endpoints.Member, String)] {
            continuation.yield([list])
            await until { api.state.map(\.origin.description) == [list.url] }
            #expect(try await two.get(client) == text)
        }
    }

    @Test("cookies stay with the host that set them")
    func cookies() async throws {
        let two = TwoMembers(["https://a.test", "https://b.test"], .roundRobin)
        for host in ["a", "b"] {
            let reply = MockResponse.text(host).header("Set-Cookie", "from=\(host); Path=/")
            two.mock.on(nil, "https://\(host).test/**", reply)
        }
        let client = two.client.cookies(CookieJar())
        for _ in 0..<4 { _ = try await two.get(client) }
        #expect(two.hosts == ["a.test", "b.test", "a.test", "b.test"])
        #expect(two.mock.requests.map { $0.headers["Cookie"] } == [nil, nil, "from=a", "from=b"])
    }

    @Test("a stored response is shared by all members", arguments: [false, true])
    func cache(_ hasCookies: Bool) async throws {
        let two = TwoMembers(["https://a.test", "https://b.test"], .roundRobin)
        let reply = MockResponse.text("x").header("Cache-Control", "max-age=60").header("ETag", "\"1\"")
        for host in ["a", "b"] { two.mock.on(nil, "https://\(host).test/**", reply) }
        let cached = two.client.cache(ResponseCache())
        let client = hasCookies ? cached.cookies(CookieJar()) : cached
        for _ in 0..<3 { _ = try await two.get(client) }
        #expect(two.hosts == ["a.test"])
        // Another member confirms it.
        two.mock.on(nil, "https://b.test/**", .status(304, headers: ["ETag": "\"1\""]))
        #expect(try await two.get(client.cache(.revalidate)) == "x")
        #expect(two.hosts == ["a.test", "b.test"] && two.mock.requests[1].headers["If-None-Match"] == "\"1\"")
    }

    @Test(
        "a redirect to the logical origin or a member stays in the set with its credentials, another leaves without",
        arguments: [
            "/next", "https://api.test/next", "https://a.test/next", "https://b.test/next", "https://other.test/",
        ]
    )
    func redirects(_ location: String) async throws {
        let leaves = location.contains("other")
        two.mock.on(nil, "https://other.test/**", .text("other"))
        two.mock.on(nil, "https://a.test/x", .status(302, headers: ["Location": location]))
        #expect(try await two.get(two.client.authorize(tokens())) == (leaves ? "other" : "a"))
        let urls = ["https://a.test/x", leaves ? location : "https://a.test/next"]
        #expect(two.mock.requests.map(\.url.absoluteString) == urls)
        #expect(two.mock.requests.map { $0.headers["Authorization"] } == ["Bearer t", leaves ? nil : "Bearer t"])
    }

    @Test("links to members name the logical origin, others and texts in quotes are unchanged; all lines are read")
    func links() async throws {
        let lines = [
            "<https://b.test/x?page=2>; rel=\"next\"; title=\"see <https://b.test/>\", </first>; rel=first",
            "<https://other.test/>; rel=\"about\", , <https://A.test:443>", "<https://a.test/>; rel=\"open",
        ]
        two.mock.on(nil, "https://a.test/x", lines.reduce(.text("a")) { $0.header("Link", $1) })
        let chain: Chain<Void, Response<String>> = UrlChainsBuilder<String>(client: two.client)
            .route(.get, "https://api.test/x").build()
        let expected = [
            "<https://api.test/x?page=2>; rel=\"next\"; title=\"see <https://b.test/>\", </first>; rel=first",
            "<https://other.test/>; rel=\"about\", , <https://api.test>", lines[2],
        ]
        #expect(try await chain.call().headers[values: "Link"] == expected)
    }

    @Test("a member's request has its URL for all who read it, a policy that changes the URL included")
    func urls() throws {
        let names = EndpointNames(Origin(url("https://api.test")), member: "https://a.test:8443")
        for path in ["/1", "", "?q=%20", "/2#f"] {
            let request = TransportRequest(url: url("https://api.test\(path)"))
            var moved = try #require(request.sent(to: names))
            let expected = "https://a.test:8443\(path)"
            #expect(moved.url.absoluteString == expected && moved.urlText == expected)
            #expect(moved.namedURL == request.url && moved.logical.url == request.url)
            #expect(moved.logical.urlText == request.urlText && request.endpoint == nil)
            moved.url.append(queryItems: [.init(name: "k", value: "v")])
            #expect(moved.urlText.hasPrefix("https://a.test:8443") && moved.urlText.contains("k=v"))
            #expect(moved.url.absoluteString == moved.urlText && moved.endpoint === names)
        }
        #expect(TransportRequest(url: url("https://a.test/1")).sent(to: names) == nil)
    }
}
