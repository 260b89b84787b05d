import TestSupport

@testable import CoreNetKitRecovery

@Suite("Where a token goes", .timeLimit(.minutes(10)), .paced)
struct TokenOriginTests {
    @Test(
        "to its origins and to no other",
        arguments: [
            ("HTTPS://API.Example.com/a/b?c", true), ("http://loc%61lhost:08080/x", true),
            ("http://api.example.com/", false), ("https://api.example.com:8443/", false),
            ("https://a.api.example.com/", false), ("https://api.example.com.evil.org/", false),
            ("https://example.com/", false), ("https://api.example.com@evil.org/", false),
            ("https://evil.org/?https://api.example.com", false),
        ]
    )
    func origins(url: String, isOurs: Bool) throws {
        let url = try #require(URL(string: url))
        let origins: TokenRefresher.Origins = ["https://api.example.com/", "http://localhost:8080"]
        #expect(origins.contains(url) == isOurs)
        #expect(TokenRefresher.Origins.any.contains(url))
        #expect(!TokenRefresher.Origins.unnamed.contains(url))
        #expect(TokenRefresher(origins: origins) { _ in AccessToken("t") }.authorizes(url) == isOurs)
    }

    @Test(
        "nowhere if no origin was named, or none is valid: each call says so and nothing is sent",
        arguments: [
            .unnamed, [], ["api.example.com"], ["ftp://a/"], ["https://"], [""], ["https://e.com/api"],
            ["https://e.com", "https://e.com/?q"], ["https://e.com/#f"], ["https://me@e.com"], ["https://1.2.3.256"],
            ["http+unix://%2Frun%2Fapp.sock/x"],
        ] as [TokenRefresher.Origins]
    )
    func unnamed(origins: TokenRefresher.Origins) async {
        let wire = Wire(statuses: [200])
        let refresher = TokenRefresher(token: AccessToken("t"), origins: origins) { _ in AccessToken("t") }
        let chain = wire.chain { $0.authorize(refresher) }
        let error = await chain.failure
        #expect(error?.code == .invalidChain)
        #expect(error?.message.contains("origin") == true)
        #expect(wire.count == 0)
    }

    @Test(
        "a request to another origin goes without it, and a 401 from there, or from a redirect's target, refreshes nothing"
    )
    func elsewhere() async {
        let wire = Wire { _, request in
            if request.url.host == "elsewhere" { return .init(status: 401, url: request.url) }
            return .init(status: 302, headers: ["Location": "http://elsewhere/"], url: request.url)
        }
        let refresher = TokenRefresher(token: AccessToken("t"), origins: [host]) { _ in
            Issue.record("refreshed for another server")
            return AccessToken("t")
        }
        for url in [host, "http://elsewhere/page/2"] {
            #expect(await wire.chain(.get, url) { $0.authorize(refresher) }.failure?.code == .unauthorized)
        }
        #expect(wire.count == 3 && wire.authorizations[2] == nil)
    }

    @Test("a constant token goes to its origins, is in no description, and its 401 is final")
    func constant() async {
        let wire = Wire(statuses: [401])
        let refresher = TokenRefresher.bearer("sk-17", origins: [host], user: "shop")
        for url in [host, "http://elsewhere/"] {
            let chain = wire.chain(.get, url) { $0.retry(.standard).authorize(refresher) }
            #expect(await chain.failure?.code == .unauthorized)
        }
        #expect(wire.authorizations == ["Bearer sk-17", nil])
        #expect(!"\(refresher)".contains("sk-17"))
        #expect(refresher.partition == TokenRefresher.bearer("other", origins: [host], user: "shop").partition)
        refresher.invalidate()
        #expect(
            await failure { try await wire.chain { $0.authorize(refresher) }.process() }?.code == .tokenRefreshFailed
        )
        let nowhere = wire.chain { $0.authorize(.bearer("sk-17", origins: [])) }
        #expect(await nowhere.failure?.code == .invalidChain)
        #expect(wire.count == 2)
    }

    @Test("a refresher knows the names of all fields in which it has sent a token")
    func fieldNames() {
        let refresher = TokenRefresher(
            token: AccessToken("t"),
            origins: [host],
            fields: { [$0.value == "t" ? "X-Session" : "X-Other": $0.value, "X-Device": "d", "x-session": "again"] },
            refresh: { _ in AccessToken("t") }
        )
        let first = refresher.fields(of: TokenGrant(token: AccessToken("t"), epoch: 0))
        #expect(first.names == ["X-Session", "X-Device"])
        let second = refresher.fields(of: TokenGrant(token: AccessToken("u"), epoch: 1))
        #expect(second.names == ["X-Session", "X-Device", "X-Other"])
    }
}
