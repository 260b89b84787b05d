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

    private func get(_ path: String, client: Client = Client(), jar: CookieJar? = nil) async throws {
        let builder = UrlChainsBuilder<URL>(client: client).route(.get, server.url(path)).cookies(jar ?? self.jar)
        let chain: Chain<Void, Void> = builder.build()
        try await chain.process()
    }

    private func sent() -> [String?] { server.requests.map { $0.headers["Cookie"] } }

    @Test("each Set-Cookie line is kept, and goes back with the next request")
    func keeps() async throws {
        server.on(
            .get,
            "/in",
            LoopbackResponse.ok.header("Set-Cookie", "a=1, x; Path=/").header("Set-Cookie", "b=2; Path=/in")
        )
        server.on(.get, "/out", .ok)
        try await get("/in")
        try await get("/out")
        try await get("/in")
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
        let anna = Client().set(partition: Partition("anna"))
        let ben = Client().set(partition: Partition("ben"))
        try await get("/", client: anna)
        try await get("/", client: ben)
        try await get("/", client: anna)
        #expect(sent() == [nil, nil, "a=1"])
    }

    @Test("a token policy set after the jar says whose cookies they are")
    func later() async throws {
        let client = Client().cookies(jar)
        try await get("/", client: client)
        for user in ["anna", "ben"] {
            let chain: Chain<Void, Void> = UrlChainsBuilder<URL>(client: client).authorize(tokens(of: user))
                .route(.get, server.url("/")).build()
            try await chain.process()
        }
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
        let next = CookieJar()
        try file.load(into: next)
        #expect(next.partitions == [])
    }

    @Test("signing out removes the user's cookies, and running exchanges bring none back")
    func signOut() async throws {
        let tokens = tokens(of: "ann")
        let client = Client().authorize(tokens).cookies(jar)
        // One hop waits before the jar, the other one behind it.
        for position in [ChainPosition.attempt, .exchange] {
            let (arrived, gate) = (Waiter<Void>(), Waiter<Void>())
            try await get("/", client: client)
            #expect(jar.partitions == ["3:ann"])
            let slow = client.insert(at: position) { next in
                AnyNode("Slow", successors: [next]) { request, context in
                    arrived.resume(.success(()))
                    try await gate.value()
                    return try await next.process(request, context: context)
                }
            }
            let call = Task { try await get("/", client: slow) }
            try await arrived.value()
            #expect(await client.signOut().isComplete)
            gate.resume(.success(()))
            try await call.value
            #expect(jar.partitions == [])
            tokens.set(AccessToken("t"), user: "ann")
        }
    }

    @Test("without a jar, and with nil, nothing is kept or sent")
    func off() async throws {
        let client = Client().cookies(jar)
        let chain: Chain<Void, Void> = UrlChainsBuilder<URL>(client: client).without(.cookies).route(.get, server.url)
            .build()
        try await chain.process()
        try await chain.process()
        #expect(sent() == [nil, nil])
        #expect(jar.allCookies().isEmpty)
    }

    @Test("neither a cookie nor its field reaches a log")
    func logs() async throws {
        server.on(
            .get,
            "/",
            LoopbackResponse.ok.header("Set-Cookie", "a=geheim").header("Set-Cookie", "b=geheim; Secure")
        )
        let text = Locked("")
        let client = Client().log(to: ClosureSink { story in text.withLock { $0 += "\(story)" } }, level: .debug)
        try await get("/", client: client)
        try await get("/", client: client)
        await client.flushRecords()
        #expect(text.withLock { $0 }.contains("1 cookies refused: insecure"))
        #expect(!text.withLock { $0 }.contains("geheim"))
    }
}
