import CoreNetKitCookies
import FileModel
import TestSupport

@Suite("Cookies over a socket", .timeLimit(.minutes(10)), .paced)
struct CookiePolicyTests {
    private let server: LoopbackServer
    private let jar = CookieJar()

    init() throws {
        server = try LoopbackServer()
        server.on(.get, "/", LoopbackResponse.ok.header("Set-Cookie", "a=1"))
    }

    private func tokens(of user: String? = nil) -> TokenRefresher {
        let origins = TokenRefresher.Origins.only([server.url("/").absoluteString])
        return TokenRefresher(token: AccessToken("t"), origins: origins, user: user) { _ in AccessToken("t") }
    }

    private func get(_ path: String, client: Client = Client()) async throws {
        try await call(client.cookies(jar), path)
    }

    private func call(_ client: Client, _ path: String = "/") async throws {
        let chain: Chain<Void, Void> = UrlChainsBuilder<URL>(client: client).route(.get, server.url(path)).build()
        try await chain.process()
    }

    private func sent() -> [String?] { server.requests.map { $0.headers["Cookie"] } }

    @Test("each Set-Cookie line is kept, and goes back with the next request")
    func keeps() async throws {
        let first = LoopbackResponse.ok.header("Set-Cookie", "a=1, x; Path=/")
        server.on(.get, "/in", first.header("Set-Cookie", "b=2; Path=/in"))
        server.on(.get, "/out", .ok)
        for path in ["/in", "/out", "/in"] { try await get(path) }
        #expect(sent() == [nil, "a=1, x", "b=2; a=1, x"])
    }

    @Test("a redirect sets a cookie that its target gets, and another host does not")
    func redirects() async throws {
        let other = try LoopbackServer(on: .ipv4) { _ in .ok }
        let elsewhere = "http://localhost:\(other.port)/"
        server.on(.get, "/a", .status(302, headers: ["Location": "/b", "Set-Cookie": "a=1; Path=/"]))
        server.on(.get, "/b", .status(302, headers: ["Location": elsewhere, "Set-Cookie": "b=1; Path=/"]))
        try await get("/a")
        #expect(sent() == [nil, "a=1"])
        #expect(other.requests.map { $0.headers["Cookie"] } == [nil])
    }

    @Test("cookies of error responses count")
    func statuses() async throws {
        server.on(.get, "/e", .status(500, headers: ["Set-Cookie": "a=1; Path=/"]), .ok)
        await #expect(throws: NetworkError.self) { try await get("/e") }
        try await get("/e")
        #expect(sent() == [nil, "a=1"])
    }

    @Test("cookies count once the head is there, whatever becomes of the content", arguments: [200, 302, 500])
    func brokenContent(_ status: Int) async throws {
        let reply = LoopbackResponse.text("0123456789", status: status).header("Set-Cookie", "a=1; Path=/")
        server.on(.get, "/e", reply.header("Location", "/f").fault(.close(.inBody(5))), .ok)
        server.on(.get, "/f", .ok)
        do { try await get("/e") } catch is NetworkError {}
        try await get("/e")
        #expect(sent().last == "a=1")
    }

    @Test("one user's cookies do not belong to another")
    func partitions() async throws {
        for user in ["anna", "ben", "anna"] { try await get("/", client: Client().set(partition: Partition(user))) }
        #expect(sent() == [nil, nil, "a=1"])
    }

    @Test("a token policy set after the jar says whose cookies they are")
    func later() async throws {
        let client = Client().cookies(jar)
        try await call(client)
        for user in ["anna", "ben"] { try await call(client.authorize(tokens(of: user))) }
        #expect(sent() == [nil, nil, nil])
        #expect(jar.partitions.count == 3)
    }

    @Test("cookies of a login without a name are written to no file, and read from none of an earlier process")
    func unnamed() async throws {
        server.on(.get, "/", LoopbackResponse.ok.header("Set-Cookie", "a=secret; Max-Age=100"))
        let tokens = tokens()
        try await get("/", client: Client().authorize(tokens))
        tokens.set(AccessToken("t"), user: "ann")
        try await get("/", client: Client().authorize(tokens))
        #expect(jar.partitions.count == 2)
        let files = ModelFiles()
        let file = CookieFile(path: "/jar", files: files)
        try file.store(jar)
        let text = String(decoding: files.bytes(of: "/jar") ?? [], as: UTF8.self)
        #expect(text.components(separatedBy: "secret").count == 2 && !text.contains("login"))
        let old = "42:login \(UUID().uuidString)"
        files.change("/jar") { $0 = Array(text.replacing("3:ann", with: old).utf8) }
        #expect(try file.loaded(into: CookieJar()).partitions == [])
    }

    @Test("signing out removes the user's cookies, and running exchanges bring none back")
    func signOut() async throws {
        let tokens = tokens(of: "ann")
        let client = Client().authorize(tokens).cookies(jar)
        // One hop waits before the jar, the other one behind it.
        for position in [ChainPosition.attempt, .exchange] {
            let (arrived, gate) = (Waiter<Void>(), Waiter<Void>())
            try await call(client)
            #expect(jar.partitions == ["3:ann"])
            let slow = client.insert(at: position) { next in
                AnyNode("Slow", before: next) { _, _ in
                    arrived.resume(.success(()))
                    try await gate.value()
                }
            }
            async let late: Void = call(slow)
            try await arrived.value()
            #expect(await client.signOut().isComplete)
            gate.resume(.success(()))
            try await late
            #expect(jar.partitions == [])
            tokens.set(AccessToken("t"), user: "ann")
        }
    }

    @Test("a chain without the jar of its client keeps and sends nothing")
    func off() async throws {
        try await call(Client().cookies(jar).without(.cookies))
        let chain: Chain<Void, Void> = UrlChainsBuilder<URL>(client: Client().cookies(jar)).without(.cookies)
            .route(.get, server.url("/")).build()
        try await chain.call()
        #expect(sent() == [nil, nil])
        #expect(jar.allCookies().isEmpty)
    }

    @Test("neither a cookie nor its field reaches a log")
    func logs() async throws {
        let first = LoopbackResponse.ok.header("Set-Cookie", "a=geheim")
        server.on(.get, "/", first.header("Set-Cookie", "b=geheim; Secure"))
        let text = Locked("")
        let client = Client().log(to: ClosureSink { story in text.withLock { $0 += "\(story)" } }, level: .debug)
        for _ in 0..<2 { try await get("/", client: client) }
        await client.flushRecords()
        #expect(text.withLock { $0 }.contains("1 cookies refused: insecure"))
        #expect(!text.withLock { $0 }.contains("geheim"))
    }
}
