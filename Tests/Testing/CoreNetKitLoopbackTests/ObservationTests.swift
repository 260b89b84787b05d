import TestSupport

@Suite("Loopback observation", .timeLimit(.minutes(10)), .paced)
struct ObservationTests {
    @Test("every waiting task gets the request when it arrives")
    func waiting() async throws {
        let server = try LoopbackServer { _ in .ok }
        async let first = server.request(at: 0)
        async let third = server.request(at: 2)
        async let all = server.waitForRequests(3)
        try await get(server, ["/0", "/1", "/2"])
        #expect(try await first.path == "/0")
        #expect(try await third.path == "/2")
        #expect(try await all.map(\.path) == ["/0", "/1", "/2"])
    }

    @Test("a cancelled wait ends with CancellationError")
    func cancelling() async throws {
        let server = try LoopbackServer { _ in .ok }
        let waits = [
            Task { _ = try await server.request(at: 0) },
            Task { try await server.waitForDisconnect(of: 0) },
            Task { try await LoopbackGate().wait() },
        ]
        for wait in waits {
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
        }
    }

    @Test("waiting for a server that stops ends with an error")
    func stopping() async throws {
        let server = try LoopbackServer { _ in .ok }
        let request = Task { try await server.request(at: 0) }
        server.stop()
        await #expect(throws: LoopbackError.self) { try await request.value }
        await #expect(throws: LoopbackError.self) { try await server.waitForRequests(1) }
    }

    @Test(
        "the recording keeps what it was asked to keep",
        arguments: [(LoopbackRecording.all, 0..<100), (.last(3), 97..<100), (.last(0), 0..<0), (.off, 0..<0)]
    )
    func recording(_ recording: LoopbackRecording, _ kept: Range<Int>) async throws {
        let server = try LoopbackServer(recording: recording) { _ in .ok }
        try await get(server, (0..<100).map { "/\($0)" })
        #expect(server.counts.requests == 100)
        #expect(server.requests.map(\.index) == Array(kept))
        #expect(server.requests.map(\.path) == kept.map { "/\($0)" })
        if recording == .off { await #expect(throws: LoopbackError.self) { try await server.request(at: 5) } }
    }

    @Test(
        "routes match by method and path, the last one added first",
        arguments: [
            ("GET /users", "list"), ("GET /users?x=/users/1", "list"), ("GET /users/1", "one"),
            ("GET /users/1/x", "none"),
            ("POST /users", "none"), ("GET /files/a/b/c", "files"), ("GET /files", "files"), ("GET /users/me", "me"),
            ("GET http://example.org/users?a=b", "list"), ("GET http://example.org", "root"), ("GET /", "root"),
            ("OPTIONS *", "star"),
        ]
    )
    func routes(_ request: String, _ reply: String) async throws {
        let server = try LoopbackServer { _ in .text("none") }
        server.on(.get, "/", .text("root"))
        server.on(.get, "/users", .text("list"))
        server.on(.get, "/users/*", .text("one"))
        server.on(.get, "/users/me") { _ in .text("me") }
        server.on(.get, "/files/**", .text("files"))
        server.on(.options, "*", .text("star"))
        let body = try await exchange(server, "\(request) HTTP/1.1\r\n\r\n").body
        #expect(body == reply)
    }

    @Test("a request has the parameters of its route, for the handler and recorded", arguments: [false, true])
    func parameters(_ isOfHead: Bool) async throws {
        let server = try LoopbackServer()
        let reply: @Sendable (LoopbackRequest) -> LoopbackResponse = {
            .text("\($0.parameters["id"] ?? "")-\($0.parameters["field"] ?? "")")
        }
        let path = "/users/:id/:field"
        if isOfHead { server.onHead(.get, path, reply) } else { server.on(.get, path, reply) }
        let body = try await exchange(server, "GET /users/7/first%20name?id=8 HTTP/1.1\r\n\r\n").body
        #expect(body == "7-first name")
        #expect(server.requests.map(\.parameters) == (isOfHead ? [] : [["id": "7", "field": "first name"]]))
    }

    @Test(
        "a path is compared decoded, and a wildcard takes no empty segment",
        arguments: [
            ("/a%62c", 200), ("/abc", 200), ("/ab%2Fc", 404), ("/users/", 404), ("/users/7", 200), ("/users/7/", 404),
        ]
    )
    func decodedPaths(_ path: String, _ status: Int) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/%61bc", .ok)
        server.on(.get, "/users/:id", .ok)
        #expect(try await exchange(server, "GET \(path) HTTP/1.1\r\n\r\n").head.hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test("a script's responses are used in turn, the last one repeatedly")
    func scripts() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", .status(503), .status(429), .ok)
        var statuses: [Substring] = []
        for _ in 0..<4 { statuses.append(try await exchange(server, "GET / HTTP/1.1\r\n\r\n").head.prefix(12)) }
        #expect(statuses == ["HTTP/1.1 503", "HTTP/1.1 429", "HTTP/1.1 200", "HTTP/1.1 200"])
    }

    @Test("connections are counted from accept to close, with the side that ended them")
    func counting() async throws {
        let server = try LoopbackServer { _ in .ok }
        var client: RawClient? = try RawClient(server)
        try await server.wait { $0.open == 1 }
        client = nil
        try await server.waitForDisconnect(of: 0)
        #expect(server.counts.clientCloses == 1)
        #expect(server.counts.clientResets == 0)
        #expect(client == nil)
        let second = try RawClient(server)
        try await server.wait { $0.open == 1 }
        second.reset()
        try await server.waitForDisconnect(of: 1)
        #expect(server.counts.clientCloses == 2)
        #expect(server.counts.clientResets == 1)
    }

    private func get(_ server: LoopbackServer, _ paths: [String]) async throws {
        try await onThread {
            let client = try RawClient(server)
            for path in paths {
                try client.send("GET \(path) HTTP/1.1\r\n\r\n")
                _ = try client.readResponse()
            }
        }
    }
}
