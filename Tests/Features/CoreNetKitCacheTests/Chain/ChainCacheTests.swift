import FileModel
import TestSupport

@testable import CoreNetKitCache

@Suite("The cache in a chain", .paced)
struct ChainCacheTests {
    private static let atOnce = RetryPolicy(backoff: .exponential(base: .nanoseconds(1), cap: .nanoseconds(1)))
    private let shop = Shop(Origin.numbered(tagged))

    @Test("a fresh response needs no exchange, no token, no place and no breaker")
    func hit() async throws {
        let tokens = Locked(0)
        let refresher = TokenRefresher(origins: .any) { _ in
            tokens.withLock { $0 += 1 }
            return AccessToken("t")
        }
        let client = shop.client.authorize(refresher).limit(perHost: 1).retry(.standard)
        for _ in 0..<3 { #expect(try await shop.text { _ in client } == "1") }
        #expect(shop.origin.count == 1 && tokens.withLock { $0 } == 1)
        #expect(shop.cache.counts.hits == 2 && shop.cache.counts.stored == 1)
    }

    @Test("a chain that is drawn says because of which policy its cache is off")
    func drawnOff() {
        struct Tenant: ChainPolicy {
            let scope: PolicyScope
            var positions: [ChainPosition] { [.outside(of: .status, "tenant")] }

            func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }
        }
        func drawn(_ client: Client) -> String {
            let chain: Chain<Void, Data> = shop.builder("page", client).build()
            return chain.description
        }
        let off = ["CacheNode (off: Tenant has no scope)", "CacheNode (off: insert(at: .attempt) has no scope)"]
        #expect(drawn(shop.client.with(Tenant(scope: .unknown))).contains(off[0]))
        #expect(drawn(shop.client.insert(at: .attempt) { AnyNode($0) }).contains(off[1]))
        for client in [
            shop.client, shop.client.with(Tenant(scope: .none)),
            shop.client.insert(at: .attempt, scope: .none) { AnyNode($0) },
            shop.client.insert(at: .call) { AnyNode($0) },
        ] { #expect(drawn(client).split(separator: "\n").contains("CacheNode")) }
    }

    @Test("the response says what the cache did")
    func outcome() async throws {
        let shop = Shop(Origin.confirming(tagged, "{\"a\": 1}"))
        let chain: Chain<Void, Response<Json>> = shop.builder().build()
        #expect(try await chain.process().cache?.description == "CoreNetKit; fwd=uri-miss; fwd-status=200; stored")
        shop.time.advance(20)
        #expect(try await chain.process().cache?.description == "CoreNetKit; hit; ttl=40")
        shop.time.advance(50)
        let confirmed = try await chain.process() as Response<Json>
        #expect(confirmed.cache?.description == "CoreNetKit; fwd=stale; fwd-status=304; ttl=60; stored")
        #expect(confirmed.status == 200 && confirmed.model["a"]?.int == 1)
    }

    @Test("a stored 404 throws the same error as one from the wire")
    func storedStatus() async throws {
        let shop = Shop { _, _ in reply(404, tagged, "gone") }
        for _ in 0..<2 {
            let error = await #expect(throws: NetworkError.self) { try await shop.text() }
            #expect(error?.code == .notFound && error?.response?.body == Data("gone".utf8))
        }
        #expect(shop.origin.count == 1)
    }

    @Test("stored redirects follow the same rules, each hop with its own entry")
    func storedRedirect() async throws {
        let shop = Shop { request, _ in
            request.url.path == "/page"
                ? reply(301, ["Location": "/other", "Cache-Control": "max-age=60"], "")
                : reply(200, control("max-age=20"), "other")
        }
        for _ in 0..<2 { #expect(try await shop.text() == "other") }
        #expect(shop.origin.count == 2)
        shop.time.advance(30)
        #expect(try await shop.text() == "other")
        #expect(shop.origin.requests.map(\.url.path) == ["/page", "/other", "/other"])
        let error = await #expect(throws: NetworkError.self) { try await shop.text { $0.set(redirectLimit: 0) } }
        #expect(error?.status == 301)
        #expect(shop.origin.count == 3)
    }

    @Test("a 304 to the cache's own condition reaches neither status nor retry")
    func notModified() async throws {
        let shop = Shop(Origin.confirming(["ETag": "\"a\""]))
        for _ in 0..<3 { #expect(try await shop.text { $0.retry(.standard) } == "1") }
        #expect(shop.origin.count == 3)
        #expect(shop.origin.requests.dropFirst().allSatisfy { $0.headers["If-None-Match"] == "\"a\"" })
    }

    @Test("a stale response is used once all attempts have failed", arguments: [503, 0])
    func staleIfError(status: Int) async throws {
        let shop = Shop { request, number in
            if number == 1 { return reply(200, control("max-age=1"), "old") }
            return status == 0 ? try await Origin.down(request, number) : reply(status, [:], "down")
        }
        _ = try await shop.text()
        shop.time.advance(5)
        let change: @Sendable (Client) -> Client = { $0.cache(.staleIfError(for: .seconds(60))).retry(Self.atOnce) }
        #expect(try await shop.text("page", [:], change) == "old")
        #expect(shop.origin.count == 4)
        await #expect(throws: NetworkError.self) { try await shop.text() }
        shop.time.advance(60)
        await #expect(throws: NetworkError.self) { try await shop.text("page", [:], change) }
    }

    @Test("14. A field added further in cannot make a response match that it did not select")
    func addedFields() async throws {
        let shop = Shop { request, _ in
            let user = request.headers["Authorization"] ?? "nobody"
            return reply(200, ["Cache-Control": "max-age=60", "Vary": "Authorization"], user)
        }
        let user = Locked("a")
        let client = shop.client.authorize(TokenRefresher(origins: .any) { _ in AccessToken(user.value) })
        let first = try await shop.text("page") { _ in client }
        #expect(first.contains("a"))
        #expect(try await shop.text() == "nobody")
        #expect(try await shop.text("page") { _ in client } == first)
    }

    private func tokens(_ text: String) -> TokenRefresher { TokenRefresher(origins: .any) { _ in AccessToken(text) } }

    @Test("15. A user never gets another one's response, by token, by credentials or by partition")
    func users() async throws {
        let (a, b) = (tokens("a"), tokens("b"))
        let clients: [@Sendable (Client) -> Client] = [
            { $0 }, { $0.authorize(a) }, { $0.authorize(b) },
            { $0.set(headers: ["Authorization": "1"]) }, { $0.set(headers: ["Authorization": "2"]) },
            { $0.set(partition: Partition("u1")) }, { $0.set(partition: Partition("u2")) },
        ]
        var seen: Set<String> = []
        for change in clients {
            let text = try await shop.text("page", [:], change)
            #expect(seen.insert(text).inserted)
            #expect(try await shop.text("page", [:], change) == text)
        }
        #expect(shop.origin.count == clients.count)
    }

    @Test("a response obtained with another user's credentials is not stored for the user who began the call")
    func switched() async throws {
        let user = Locked("anna")
        let shop = Shop { request, number in
            guard number == 1 else { return reply(200, tagged, request.headers["X-User"] ?? "") }
            user.withLock { $0 = "ben" }
            return reply(503)
        }
        let client = shop.client.retry(Self.atOnce).set(partition: ClosurePartition { Partition(user.value) })
            .insert(at: .attempt, scope: .none) { next in
                AnyNode("UserField", before: next) { request, _ in request.headers["X-User"] = user.withLock { $0 } }
            }
        _ = try await shop.text { _ in client }
        user.withLock { $0 = "anna" }
        #expect(try await shop.text { _ in client } == "anna")
    }

    @Test("a user who signs out leaves nothing behind, and running exchanges are not stored")
    func signOut() async throws {
        let stop = Stop()
        let shop = Shop(Origin.numbered(tagged, stop))
        let user = Partition("u1")
        async let slow = shop.text { $0.set(partition: user) }
        await stop.isReached()
        await shop.cache.removeAll(partition: user)
        stop.open()
        #expect(try await slow == "1")
        #expect(try await shop.text { $0.set(partition: user) } == "2")
        await shop.cache.removeAll(partition: user)
        #expect(try await shop.text { $0.set(partition: user) } == "3")
    }

    @Test("signing out ends the session before it empties the cache: late responses are not stored")
    func signOutOfSession() async throws {
        for position in [ChainPosition.attempt, .exchange] {
            let shop = Shop(Origin.numbered(tagged))
            let tokens = TokenRefresher(token: AccessToken("t"), origins: .any, user: "ann") { _ in AccessToken("t") }
            let client = shop.client.authorize(tokens)
            let (arrived, gate) = (Waiter<Void>(), Waiter<Void>())
            let slow = client.insert(at: position, scope: .none) { next in
                AnyNode("Slow", before: next) { _, _ in
                    arrived.resume(.success(()))
                    try await gate.value()
                }
            }
            async let late = shop.text { _ in slow }
            try await arrived.value()
            #expect(await client.signOut().isComplete)
            gate.resume(.success(()))
            #expect(try await late == "1")
            tokens.set(AccessToken("t"), user: "ann")
            for _ in 0..<2 { #expect(try await shop.text { _ in client } == "2") }
            await client.signOut(keeping: [.responses])
            tokens.set(AccessToken("t"), user: "ann")
            #expect(try await shop.text { _ in client } == "2")
        }
    }

    @Test("responses of a login without a name are invalidated in memory, and not on disk")
    func unnamedMarks() async throws {
        let files = ModelFiles()
        let tiers = TieredStorage(front: MemoryStorage(limit: 1 << 20), behind: disk(files))
        let shop = Shop(storage: tiers, Origin.numbered(tagged))
        let tokens = TokenRefresher(token: AccessToken("t"), origins: .any) { _ in AccessToken("t") }
        let client = shop.client.authorize(tokens)
        #expect(try await shop.text { _ in client } == "1")
        await shop.cache.invalidate(page)
        #expect(try await shop.text { _ in client } == "2")
        try await client.text(page.absoluteString, by: .post)
        #expect(try await shop.text { _ in client } == "4")
        await shop.cache.flush()
        #expect(files.paths.filter { $0.hasPrefix("/cache/") && !$0.contains("/common/") && $0.count > 20 } == [])
    }

    @Test("nothing is stored if a node inside may change the request unseen")
    func unknownScope() async throws {
        let client = shop.client.insert(at: .exchange) { AnyNode("Own", before: $0) }
        for number in 1...2 { #expect(try await shop.text { _ in client } == "\(number)") }
    }

    @Test("19. One refresh runs in the background, outlives its caller, and ends with the client")
    func refresh() async throws {
        let stop = Stop()
        let shop = Shop(Origin.numbered(control("max-age=1, stale-while-revalidate=60"), stop, at: 2))
        _ = try await shop.text()
        shop.time.advance(5)
        for _ in 0..<5 { #expect(try await shop.text() == "1") }
        #expect(shop.cache.counts.refreshes == 1)
        stop.open()
        while shop.cache.counts.stored < 2 { await Task.yield() }
        #expect(try await shop.text() == "2")
        #expect(shop.origin.count == 2)
        shop.time.advance(5)
        await shop.client.configuration.parts.shared.shutDown()
        #expect(try await shop.text() == "2")
        #expect(shop.cache.counts.refreshes == 1)
    }

    @Test("a stored body that no longer decodes is fetched again, once")
    func undecodable() async throws {
        let shop = Shop { _, number in reply(200, tagged, number == 1 ? "\"text\"" : "{\"name\": \"Ann\"}") }
        struct User: Decodable, Sendable, Equatable { let name: String }
        _ = try await shop.text()
        let chain: Chain<Void, User> = shop.builder().build()
        #expect(try await chain.process() == User(name: "Ann"))
        #expect(try await chain.process() == User(name: "Ann"))
        #expect(shop.origin.count == 2)
        #expect(shop.origin.requests.last?.headers.contains("If-None-Match") == false)
        let other: Chain<Void, [Int]> = shop.builder().build()
        await #expect(throws: NetworkError.self) { try await other.process() as [Int] }
        #expect(shop.origin.count == 3)
    }

    @Test("modes: only asks no server, reload and revalidate tell the caches on the way, off does neither")
    func modes() async throws {
        let shop = Shop(Origin.confirming(tagged))
        let refused = await #expect(throws: NetworkError.self) { try await shop.text { $0.cache(.only) } }
        #expect(refused?.status == 504)
        _ = try await shop.text()
        shop.time.advance(600)
        #expect(try await shop.text { $0.cache(.only) } == "1")
        #expect(try await shop.text { $0.cache(.revalidate) } == "1")
        #expect(shop.origin.requests.last?.headers["Cache-Control"] == "max-age=0")
        #expect(try await shop.text { $0.cache(.reload) } == "3")
        #expect(shop.origin.requests.last?.headers["Cache-Control"] == "no-cache")
        #expect(try await shop.text { $0.cache(.off) } == "4")
        #expect(try await shop.text() == "3")
        #expect(try await shop.text { $0.without(.cache) } == "5")
    }

    @Test("explains itself in one sentence, with the RFC section")
    func explain() async throws {
        let shop = Shop { _, _ in reply(200, tagged) }
        #expect(await shop.cache.explain(get()) == "fetched: nothing is stored for this URL (RFC 9111, 4)")
        _ = try await shop.text()
        shop.time.advance(12)
        let fresh = "used: the stored response is fresh (RFC 9111, 4.2); 12 s old, 48 s left"
        #expect(await shop.cache.explain(get()) == fresh)
        shop.time.advance(60)
        let stale =
            "confirmed with the server: the stored response is stale (RFC 9111, 4.2.4); 72 s old, stale for 12 s; used if the server fails"
        #expect(await shop.cache.explain(get(), mode: .staleIfError(for: .seconds(60))) == stale)
    }

    @Test("a refusal of credentials is not stored, and a GET with content is left alone")
    func notStored() async throws {
        let shop = Shop { request, _ in
            request.headers["Authorization"] == "Bearer 2"
                ? reply(200, tagged, "in") : reply(401, tagged, "out")
        }
        let logins = Locked(0)
        let refresher = TokenRefresher(origins: .any) { _ in AccessToken("\(logins.next())") }
        #expect(try await shop.text { $0.authorize(refresher) } == "in")
        let engine = shop.cache.engine
        var query = get()
        query.body = .bytes(Data("{}".utf8))
        for _ in 0..<2 {
            let finding = await engine.find(query, CacheScope(), acceptsStale: false)
            _ = try await CacheExchange(engine: engine, request: query, scope: CacheScope(), finding: finding) { _ in
                reply(200, tagged)
            }.run()
        }
        #expect(await !engine.vault.open.has(CacheKey(url: page)))
    }
}
