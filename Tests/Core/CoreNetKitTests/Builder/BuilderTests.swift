import TestSupport

@Suite("The builder", .timeLimit(.minutes(10)), .paced)
struct BuilderTests {
    let requests = Recorder<TransportRequest>()

    func builder(_ text: String = "{}") -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>().set(transport: requests.transport(text))
    }

    @Test("is a value: a changed copy leaves the original unchanged")
    func isAValue() async throws {
        let plain = builder().route(.get, "http://localhost/a")
        let changed = plain.set(query: ["x": 1]).set(metadata: ["X-A": "1"]).route(.post, "http://localhost/b")

        try await plain.build().process()
        try await changed.build().process()
        #expect(requests.values[0].url.absoluteString == "http://localhost/a")
        #expect(requests.values[0].headers["X-A"] == nil)
        #expect(requests.values[1].url.absoluteString == "http://localhost/b?x=1")
        #expect(requests.values[1].method == .post)
    }

    @Test("writes the query of the documents")
    func documentQuery() async throws {
        let map: [String: Any] = ["k": "v"]
        try await builder()
            .set(query: ["params": ["a", "b"], "desc": true, "map": map, "max": 20])
            .set(boolEncodingStartegy: .asBool)
            .set(arrayEncodingStrategy: .noBrackets)
            .route(.post, "http://localhost/tasks").build().process()
        #expect(requests.values.first?.url.query() == "desc=true&map%5Bk%5D=v&max=20&params=a&params=b")
    }

    @Test("takes options in any order")
    func orderOfOptionsDoesNotMatter() async throws {
        let query: [String: Any] = ["flag": true]
        try await builder().route(.get, "http://localhost/").parameters { $0.bool = .asBool }.set(query: query)
            .build().process()
        try await builder().set(query: query).parameters { $0.bool = .asBool }.route(.get, "http://localhost/")
            .build().process()
        #expect(requests.values.map { $0.url.query() } == ["flag=true", "flag=true"])
    }

    @Test("fails each call without a route, and never traps")
    func missingRoute() async throws {
        let error = await #expect(throws: NetworkError.self) { try await builder().build().process() }
        #expect(error?.code == .missingRoute)
        #expect(requests.values.isEmpty)
    }

    @Test(
        "puts the model where method and encoding require",
        arguments: [
            (HTTPMethod.post, ParametersEncoding.json, nil, "application/json", #"{"age":36,"name":"Ada B"}"#),
            (.put, .json, nil, "application/json", #"{"age":36,"name":"Ada B"}"#),
            (.delete, .json, nil, "application/json", #"{"age":36,"name":"Ada B"}"#),
            (.get, .json, "age=36&name=Ada%20B", nil, nil),
            (.head, .json, "age=36&name=Ada%20B", nil, nil),
            (.get, .formUrl, "age=36&name=Ada%20B", nil, nil),
            (.head, .formUrl, "age=36&name=Ada%20B", nil, nil),
            (.post, .formUrl, nil, "application/x-www-form-urlencoded", "age=36&name=Ada+B"),
            (.delete, .formUrl, nil, "application/x-www-form-urlencoded", "age=36&name=Ada+B"),
            (.post, .urlQuery, "age=36&name=Ada%20B", nil, nil),
            (.delete, .urlQuery, "age=36&name=Ada%20B", nil, nil),
        ] as [(HTTPMethod, ParametersEncoding, String?, String?, String?)]
    )
    func placesTheModel(
        method: HTTPMethod,
        encoding: ParametersEncoding,
        query: String?,
        type: String?,
        body: String?
    ) async throws {
        let chain: Chain<PlainUser, Void> = builder().route(method, "http://localhost/").encode(as: encoding).build()
        try await chain.process(PlainUser(name: "Ada B", age: 36))

        let request = try #require(requests.values.first)
        #expect(request.url.query() == query)
        #expect(request.headers["Content-Type"] == type)
        #expect(request.body.data.map { String(decoding: $0, as: UTF8.self) } == body)
    }

    @Test("lets a provider replace metadata, and a later provider an earlier one")
    func providersReplace() async throws {
        struct Late: MetadataProvider {
            func metadata() async throws -> Headers {
                await Task.yield()
                return ["x-two": "late"]
            }
        }
        try await builder()
            .add(provider: ["X-One": "early", "X-Two": "early"])
            .add(provider: Late())
            .set(metadata: ["X-One": "metadata", "X-Three": "metadata"])
            .route(.get, "http://localhost/").build().process()

        let headers = try #require(requests.values.first?.headers)
        #expect(headers[values: "X-One"] == ["early"])
        #expect(headers[values: "X-Two"] == ["late"])
        #expect(headers[values: "X-Three"] == ["metadata"])
    }

    @Test("a provider's error makes the call fail as its cause, and sends nothing")
    func providerFails() async throws {
        struct Locked: Error {}
        struct Failing: MetadataProvider {
            func metadata() async throws -> Headers { throw Locked() }
        }
        let error = await #expect(throws: NetworkError.self) {
            try await builder().add(provider: Failing()).route(.get, "http://localhost/").build().process()
        }
        #expect(error?.cause is Locked)
        #expect(requests.values.isEmpty)
    }

    @Test("by hand, asks for what the output can read, also with a node in between", arguments: [true, false])
    func acceptsByHand(isDirect: Bool) async throws {
        let bytes = builder(User.adaJson).configuration.parts.exchange()
        let reader = ResponseNode<Json>(next: bytes)
        let between = AnyNode<TransportRequest, Json>("Between", successors: [reader]) {
            try await reader.process($0, context: $1)
        }
        let next: any Node<TransportRequest, Json> = isDirect ? reader : between
        let chain = Chain(RequestNode<Json, Json>(next: next, method: .post, route: "http://localhost/"))
        _ = try await chain.process(["k": 1]) as Json
        #expect(requests.values.first?.headers[values: "Accept"] == ["application/json"])
    }

    @Test("writes keys and dates as its coding says, in both directions")
    func codingOptions() async throws {
        struct Event: Codable, Sendable, Equatable {
            var startsAt: Date
        }
        let event = Event(startsAt: Date(timeIntervalSince1970: 0))
        let chain: Chain<Event, Event> = builder(#"{"starts_at":"1970-01-01T00:00:00Z"}"#)
            .set(coding: JsonCoding(keys: .snakeCase, dates: .iso8601))
            .route(.post, "http://localhost/").build()
        let echoed: Event = try await chain.process(event)
        #expect(echoed == event)
        let body = try #require(requests.values.first?.body.data)
        #expect(String(decoding: body, as: UTF8.self) == #"{"starts_at":"1970-01-01T00:00:00Z"}"#)
    }
}
