import TestSupport

@Suite("Fields on the wire", .timeLimit(.minutes(10)), .paced)
struct WireFieldTests {
    enum Input: String, CaseIterable {
        case nothing, model, form, query, json, data, text, multipart, ownType
    }

    /// Sends one input; the builder is the same for a mock and for a server.
    private func send(_ input: Input, _ builder: UrlChainsBuilder<URL>, to url: URL) async throws {
        let builder = builder.route(.post, url)
        switch input {
        case .nothing: try await builder.build().process()
        case .model: let _: User = try await builder.build().process(User.ada)
        case .form: try await builder.encode(as: .formUrl).build().process(PlainUser(name: "a b", age: 1))
        case .query: try await builder.encode(as: .urlQuery).build().process(PlainUser(name: "a b", age: 1))
        case .json: let _: Json = try await builder.build().process(["k": 1])
        case .data: let _: Data = try await builder.build().process(Data("x".utf8))
        case .text: let _: String = try await builder.build().process("x")
        case .multipart: try await builder.build().process(MultipartModel([.field("a", "b")]))
        case .ownType:
            try await builder.set(metadata: ["cOnTent-tYpe": "application/x-own", "ACCEPT": "text/x-own"]).build()
                .process(Data("x".utf8))
        }
    }

    private static let expected: [Input: (accept: String, type: String?)] = [
        .nothing: ("*/*", nil), .model: ("application/json", "application/json"),
        .form: ("*/*", "application/x-www-form-urlencoded"), .query: ("*/*", nil),
        .json: ("application/json", "application/json"), .data: ("*/*", "application/octet-stream"),
        .text: ("text/plain, */*;q=0.8", "text/plain; charset=utf-8"),
        .multipart: ("*/*", "multipart/form-data; boundary="), .ownType: ("text/x-own", "application/x-own"),
    ]

    @Test(
        "Accept and Content-Type are ours, once, for a mock and on a socket: no transport adds its own",
        arguments: Input.allCases
    )
    func acceptAndContentType(input: Input) async throws {
        let mock = MockTransport { $0.on(.post, "/x", .json(User.adaJson)) }
        let server = try LoopbackServer()
        server.on(.post, "/x", .json(User.adaJson))
        let unreal = try #require(URL(string: "http://127.0.0.1:1/x"))
        try await send(input, UrlChainsBuilder(client: Client(transport: mock)), to: unreal)
        try await send(input, UrlChainsBuilder(client: Client()), to: server.url("/x"))

        let onMock = try #require(mock.requests.first)
        let onWire = try #require(server.requests.first)
        let expected = try #require(Self.expected[input])
        for headers in [onMock.headers, onWire.headers] {
            #expect(headers[values: "Accept"] == [expected.accept])
            let types = headers[values: "Content-Type"]
            #expect(types.count == (expected.type == nil ? 0 : 1))
            if let type = expected.type { #expect(types.first?.hasPrefix(type) == true) }
        }
        #expect(onMock.query.map(\.name) == onWire.query.map(\.name))
        if input != .multipart { #expect(onMock.body == onWire.body) }
    }

    @Test("the timings of the exchange come with a model, and stay when it is mapped")
    func timings() async throws {
        let server = try LoopbackServer { _ in .json(User.adaJson) }
        let response: Response<User> = try await UrlChainsBuilder().route(.get, server.url("/x")).build().process()
        let total = try #require(response.timings.total)
        #expect(try #require(response.timings.firstByte) <= total)
        #expect(response.map { $0.name }.timings.total == total)
    }

    @Test("a call without input sends no body and no content type", arguments: [HTTPMethod.get, .put, .delete, .patch])
    func nothing(method: HTTPMethod) async throws {
        let mock = MockTransport { $0.on(method, "/x", .ok) }
        try await UrlChainsBuilder<String>(client: Client(transport: mock)).route(method, "http://a.test/x").build()
            .process()
        let sent = try #require(mock.requests.first)
        #expect(sent.body.isEmpty && !sent.headers.contains("Content-Type"))
    }

    @Test("no metadata or provider removes the boundary of a multipart form")
    func boundaryStays() async throws {
        let requests = Recorder<TransportRequest>()
        let chain: Chain<MultipartModel, Void> = UrlChainsBuilder<String>().set(transport: requests.transport())
            .set(metadata: ["content-type": "application/json"])
            .add(provider: ["CONTENT-TYPE": "application/json"])
            .route(.post, "http://a.test/").build()
        try await chain.process(MultipartModel([.field("a", "b")]))

        let types = try #require(requests.values.first).headers[values: "Content-Type"]
        #expect(types.count == 1)
        #expect(types.first?.hasPrefix("multipart/form-data; boundary=") == true)
    }

    @Test("fields are sent in the order and as often as they were set, followed by those of providers")
    func orderOfFields() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/x", .status(204))
        try await UrlChainsBuilder()
            .add(provider: Headers([("X-D", "4"), ("X-B", "5"), ("X-B", "6")]))
            .set(headers: Headers([("X-C", "1"), ("X-B", "2"), ("X-C", "3"), ("X-A", "0")]))
            .route(.get, server.url("/x")).build().process()

        let own = try #require(server.requests.first).headers.filter { $0.name.hasPrefix("X-") }
        #expect(own.map { "\($0.name)=\($0.value)" } == ["X-C=1", "X-C=3", "X-A=0", "X-D=4", "X-B=5", "X-B=6"])
    }

    @Test("the priority of RFC 9218 arrives as it was set last")
    func priority() async throws {
        let server = try LoopbackServer { _ in .status(204) }
        let builder = UrlChainsBuilder<URL>(client: Client().set(urgency: 1)).route(.get, server.url("/"))
        for builder in [builder, builder.set(urgency: 7, incremental: true)] { try await builder.build().process() }
        #expect(server.requests.map { $0.headers["Priority"] } == ["u=1", "u=7, i"])
    }

    @Test("an urgency out of range fails each call, with what is in range", arguments: [-1, 8, .max])
    func badUrgency(_ urgency: Int) async throws {
        let requests = Recorder<TransportRequest>()
        let error = await #expect(throws: NetworkError.self) {
            try await UrlChainsBuilder<String>().set(transport: requests.transport()).set(urgency: urgency)
                .route(.get, "http://a.test/").build().process()
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("0...7") == true)
        #expect(requests.values.isEmpty)
    }

    @Test("an error's body is decoded with its own options, exactly if it is Json")
    func decodeBody() async throws {
        struct Reason: Decodable, Equatable {
            var errorCode: Int
            var since: Date
        }
        let text = #"{"error_code":7,"since":"1970-01-01T00:00:00Z","limit":1e400}"#
        let error = await #expect(throws: NetworkError.self) {
            try await UrlChainsBuilder<String>().set(transport: ClosureTransport(status: 422, text))
                .route(.get, "http://a.test/").build().process()
        }
        let coding = JsonCoding(keys: .snakeCase, dates: .iso8601)
        #expect(
            try error?.decodeBody(as: Reason.self, coding: coding)
                == Reason(errorCode: 7, since: .init(timeIntervalSince1970: 0))
        )
        #expect(try error?.decodeBody(as: Json.self)["limit"]?.number == "1e400")
        let other = #expect(throws: NetworkError.self) { try error?.decodeBody(as: [Int].self) }
        #expect(other?.code == .decodingFailed)
        #expect(other?.status == 422)
        #expect(other?.message.contains("status 422 from http://a.test/") == true)
    }
}
