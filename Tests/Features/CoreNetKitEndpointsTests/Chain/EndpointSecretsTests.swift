import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitCookies
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

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
        let builder = UrlChainsBuilder<String>(client: client).route(.get, "https://api.test/x")
            .set(headers: ["X-Api-Key": "k", "Accept-Language": "de"])
        _ = try await (builder.build() as Chain<Void, String>).call()
        let sent = try #require(two.mock.requests.first?.headers)
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
            two.mock.on(
                nil,
                "https://\(host).test/**",
                MockResponse.text(host).header("Set-Cookie", "from=\(host); Path=/")
            )
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
        "a redirect to the logical origin or to a member stays in the set, with its credentials",
        arguments: ["/next", "https://api.test/next", "https://a.test/next", "https://b.test/next"]
    )
    func redirects(_ location: String) async throws {
        two.mock.on(nil, "https://a.test/x", .status(302, headers: ["Location": location]))
        #expect(try await two.get(two.client.authorize(tokens())) == "a")
        #expect(two.mock.requests.map(\.url.absoluteString) == ["https://a.test/x", "https://a.test/next"])
        #expect(two.mock.requests.map { $0.headers["Authorization"] } == ["Bearer t", "Bearer t"])
    }

    @Test("a redirect elsewhere leaves the set without credentials")
    func leaves() async throws {
        two.mock.on(nil, "https://other.test/**", .text("other"))
        two.mock.on(nil, "https://a.test/x", .status(302, headers: ["Location": "https://other.test/"]))
        #expect(try await two.get(two.client.authorize(tokens())) == "other")
        #expect(two.mock.requests.map { $0.headers["Authorization"] } == ["Bearer t", nil])
    }

    @Test("links to members name the logical origin, others are unchanged")
    func links() async throws {
        let link = "<https://b.test/x?page=2>; rel=\"next\", </first>; rel=first, <https://other.test/>; rel=\"about\""
        two.mock.on(nil, "https://a.test/x", MockResponse.text("a").header("Link", link))
        let chain: Chain<Void, Response<String>> = UrlChainsBuilder<String>(client: two.client)
            .route(.get, "https://api.test/x").build()
        let expected = link.replacingOccurrences(of: "https://b.test", with: "https://api.test")
        #expect(try await chain.call().headers["Link"] == expected)
    }

    @Test("the URL of a member is remembered for the last request alone")
    func urls() throws {
        let target = MemberTarget(Origin(url("https://a.test")), weight: 1, isTrusted: true, isDiscovered: false)
        let logical = Origin(url("https://api.test"))
        for path in ["/1", "/2", "/2", "/1", "", "?q=%20"] {
            let request = TransportRequest(url: url("https://api.test\(path)"))
            let moved = try #require(target.physical(request, of: logical))
            #expect(moved.url.absoluteString == "https://a.test\(path)" && moved.urlText == moved.url.absoluteString)
            #expect(target.logical(moved, of: logical)?.url == request.url)
        }
        #expect(target.physical(TransportRequest(url: url("https://a.test/1")), of: logical) == nil)
        #expect(target.logical(TransportRequest(url: url("https://b.test/1")), of: logical) == nil)
    }
}
