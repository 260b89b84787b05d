import TestSupport

@Suite("The log warns of deprecated routes", .timeLimit(.minutes(10)), .paced)
struct DeprecationTests {
    private let sink = RecordingSink()

    private func client(_ headers: Headers, level: LogLevel = .info) -> Client {
        let mock = MockTransport { $0.on(nil, "/**", .status(200, headers: headers)) }
        return Client(transport: mock) { Date(timeIntervalSince1970: 1_767_225_600) }.log(to: sink, level: level)
    }

    private func get(_ url: String, _ client: Client, template: String? = nil) async throws {
        try await UrlChainsBuilder<String>(client: client).template(template).route(.get, url).build().process()
        await client.flushRecords()
    }

    private var warnings: [String] {
        sink.logTrees.flatMap(\.lines).filter { $0.level == .warning && $0.node == "TransportNode" }.map(\.message)
    }

    @Test(
        "in the forms of RFC 9745, its drafts and RFC 8594; what cannot be read is ignored",
        arguments: [
            ([:], nil), (["Deprecation": "@1688169599"], "is deprecated since 2023-06-30T23:59:59Z"),
            (["Deprecation": "@1798761600;x=1"], "will be deprecated on 2027-01-01T00:00:00Z"),
            (["Deprecation": "@-1"], "is deprecated since 1969-12-31T23:59:59Z"),
            (["Deprecation": "true"], "is deprecated"),
            (["Deprecation": "Fri, 11 Nov 2022 23:59:59 GMT"], "is deprecated since 2022-11-11T23:59:59Z"),
            (["Sunset": "Wed, 30 Jun 2027 23:59:59 GMT"], "is to end on 2027-06-30T23:59:59Z"),
            (
                ["Sunset": "Wed, 30 Jun 2027 23:59:59 GMT", "Deprecation": "@1688169599"],
                "is deprecated since 2023-06-30T23:59:59Z and is to end on 2027-06-30T23:59:59Z"
            ),
            (["Deprecation": "@", "Sunset": "soon"], nil), (["Deprecation": "@99999999999999999999"], nil),
            (["Deprecation": "false"], nil), (["Deprecation": "@999999999999999"], nil),
        ] as [(Headers, String?)]
    )
    func forms(headers: Headers, expected: String?) async throws {
        try await get("http://a.test/users?page=1", client(headers))
        #expect(warnings == (expected.map { ["GET http://a.test/users \($0)"] } ?? []))
    }

    @Test("once for each route, whatever its query and the values in its template")
    func once() async throws {
        let client = client(["Deprecation": "true"])
        for url in ["http://a.test/x", "http://a.test/x?page=2", "http://a.test/y#part", "http://b.test/x"] {
            for _ in 0..<2 { try await get(url, client) }
        }
        for id in 1...3 { try await get("http://a.test/users/\(id)", client, template: "/users/{id}") }
        let routes = ["http://a.test/x", "http://a.test/y", "http://b.test/x", "/users/{id}"]
        #expect(warnings == routes.map { "GET \($0) is deprecated" })
        // Another log does not know of this one.
        try await get("http://a.test/x", client.log(to: sink))
        #expect(warnings.count == 5)
    }

    @Test("of a bounded number of routes")
    func bounded() async throws {
        let client = client(["Deprecation": "true"])
        for number in 0..<300 { try await get("http://a.test/\(number)", client) }
        #expect(warnings.count == 256)
    }

    @Test("unless its level or its excluded nodes leave the line out")
    func leftOut() async throws {
        let client = client(["Deprecation": "true"], level: .error)
        try await get("http://a.test/x", client)
        try await get("http://a.test/x", client.log(to: sink).log(exclude: ["TransportNode"]))
        #expect(warnings.isEmpty && sink.logTrees.count == 2)
    }

    @Test("over a socket, for the hop that says it")
    func redirected() async throws {
        let server = try LoopbackServer { request in
            guard request.target == "/old" else { return .text("x").header("Sunset", "Wed, 30 Jun 2027 23:59:59 GMT") }
            return .status(302, headers: ["Location": "/new"])
        }
        try await get(server.url("/old").absoluteString, Client().log(to: sink), template: "/old")
        let route = "GET \(server.url("/new").absoluteString)"
        #expect(warnings.contains("\(route) is to end on 2027-06-30T23:59:59Z"))
        #expect(!warnings.contains { $0.hasPrefix("GET /old is") })
    }
}
