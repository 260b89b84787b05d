import TestSupport

/// One body, once with a mock and once with a real server behind the platform's transport.
@Suite("A mock records what a server receives", .timeLimit(.minutes(10)), .paced)
struct SameOnTheWireTests {
    @Test("method, path, query, fields and body are the same, and so are the results")
    func sameRequests() async throws {
        let (mock, server) = (MockTransport(), try LoopbackServer())
        for (method, path, response) in [
            (.get, "/users/*", .json(#"{"id":7,"name":"Ann"}"#)), (.get, "/users", .json(#"[{"id":7,"name":"Ann"}]"#)),
            (.post, "/users", .json(#"{"id":8,"name":"Bob"}"#, status: 201)), (.post, "/login", .status(204)),
            (.put, "/upload", .text("5")), (.delete, "/users/*", .json(#"{"message":"gone"}"#, status: 404)),
        ] as [(HTTPMethod, String, LoopbackResponse)] {
            mock.on(method, path, response.onMock)
            server.on(method, path, response)
        }

        let base = try #require(URL(string: "http://127.0.0.1:1"))
        let mocked = try await useService(base: base, client: Client(transport: mock))
        let real = try await useService(base: server.url, client: Client())

        #expect(mocked == real)
        #expect(mocked.count == 6)
        #expect(mock.requests.count == 6)
        for (mock, wire) in zip(mock.requests, server.requests) {
            #expect(
                seen(mock.method, mock.path, mock.query, mock.headers, mock.body)
                    == seen(wire.method, wire.path, wire.query, wire.headers, wire.body)
            )
        }
        try mock.verify()
    }

    @Test(
        "the content arrives in the same form",
        arguments: ["collect", "limited", "stream", "file"],
        [("GET", 200), ("GET", 404), ("GET", 204), ("HEAD", 200)]
    )
    func sameDelivery(delivery: String, exchange: (method: String, status: Int)) async throws {
        let method = HTTPMethod(rawValue: exchange.method)
        let content = exchange.status == 204 ? "" : "content"
        let mock = MockTransport { $0.on(method, "/a", .text(content, status: exchange.status)) }
        let server = try LoopbackServer()
        server.on(method, "/a", .text(content, status: exchange.status))

        let base = try #require(URL(string: "http://127.0.0.1:1"))
        let mocked = try await deliver(delivery, method, base: base, by: mock)
        let real = try await deliver(delivery, method, base: server.url, by: Client().transport)
        #expect(mocked == real)
    }

    /// What came, as text: form and content, or the error's code.
    private func deliver(
        _ delivery: String,
        _ method: HTTPMethod,
        base: URL,
        by transport: any Transport
    ) async throws -> String {
        let folder = try TemporaryFolder()
        let file = folder["out"]
        let deliveries: [String: ResponseDelivery] = [
            "limited": .collect(limit: 3), "stream": .stream, "file": .file(file),
        ]
        let sent = TransportRequest(method: method, url: try base + "/a", delivery: deliveries[delivery] ?? .collect)
        do {
            let response = try await transport.send(sent)
            let form =
                switch response.body {
                case .bytes: "bytes"
                case .stream: "stream"
                case .file: "file"
                case .duplex: "connection"
                }
            let text = String(decoding: try await response.body.collect(), as: UTF8.self)
            return "\(form) \(text) \(folder.names)"
        } catch let error as TransportError {
            return "\(error.code) in \(error.phase.rawValue), \(folder.names)"
        }
    }

    @Test(
        "a request that no wire could carry is refused with the same message, and not recorded",
        arguments: [
            ("GET", "ftp://127.0.0.1/", "A", "b"), ("GET", "/relative", "A", "b"), ("GET", "http:///path", "A", "b"),
            ("G T", "http://127.0.0.1:1/", "A", "b"), ("", "http://127.0.0.1:1/", "A", "b"),
            ("CONNECT", "http://127.0.0.1:1/", "A", "b"), ("GET", "http://127.0.0.1:1/", "", "b"),
            ("GET", "http://127.0.0.1:1/", "A: b\r\nC", "b"), ("GET", "http://127.0.0.1:1/", "A", "b\r\nC: d"),
            ("GET", "http://127.0.0.1:1/", "A", "b\0"), ("GET", "http://127.0.0.1:1/", "HOST", "b"),
        ]
    )
    func sameRefusals(method: String, url: String, name: String, value: String) async throws {
        let url = try #require(URL(string: url))
        let sent = TransportRequest(method: .init(rawValue: method), url: url, headers: Headers([(name, value)]))
        let mock = MockTransport { $0.on(nil, "/**", .ok) }
        let mocked = try await transportError { _ = try await mock.send(sent) }
        let real = try await transportError { _ = try await Client().transport.send(sent) }
        #expect(mocked?.code == .invalidRequest && mocked?.phase == .queue)
        #expect(mocked?.message == real?.message && mocked?.phase == real?.phase)
        #expect(mock.requests.isEmpty && mock.callsInFlight == 0)
    }

    /// The requests of a service; the transport does not show in its results.
    private func useService(base: URL, client: Client) async throws -> [String] {
        let builder = UrlChainsBuilder<URL>(client: client)
        var results: [String] = []

        let one: User = try await builder.route(.get, base + "/users/J%C3%BCrgen%2F1").build().process()
        results.append("\(one)")
        let many: [User] =
            try await builder
            .set(query: ["page": 2, "sort": ["name", "id"], "q": "a b&c+d;é"])
            .set(metadata: ["X-Trace": "t 1"])
            .route(.get, base + "/users?fixed=1")
            .build()
            .process()
        results.append("\(many)")
        let created: User = try await builder.route(.post, base + "/users").build().process(User(name: "Bob", id: 8))
        results.append("\(created)")
        try await builder
            .encode(as: .formUrl)
            .route(.post, base + "/login")
            .build()
            .process(User(name: "a&b=c d", id: 1)) as Void
        results.append("logged in")
        let upload = TransportRequest(
            method: .put,
            url: try base + "/upload",
            headers: ["Content-Type": "text/plain"],
            body: .stream(length: 5) { Pieces(Data("hello".utf8)) }
        )
        let reply = try await client.transport.send(upload)
        results.append("\(reply.status) \(String(decoding: try await reply.body.collect(), as: UTF8.self))")
        do {
            try await builder.route(.delete, base + "/users/9").build().process() as Void
        } catch let error as NetworkError {
            results.append("\(error.code)")
        }
        return results
    }

    /// What both kinds of recorded requests have in common: without the fields that belong to the wire.
    private func seen(
        _ method: HTTPMethod,
        _ path: String,
        _ query: [TransportRequest.Item],
        _ headers: Headers,
        _ body: Data
    ) -> [String] {
        let ofWire = ["host", "content-length", "transfer-encoding", "connection", "accept-encoding", "user-agent"]
        let fields =
            headers
            .map { "\($0.name.lowercased()): \($0.value)" }
            .filter { field in !ofWire.contains { field.hasPrefix($0 + ":") } }
        return [method.rawValue, path] + query.map { "\($0.name)=\($0.value)" } + fields.sorted()
            + [String(decoding: body, as: UTF8.self)]
    }
}
