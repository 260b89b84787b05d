import TestSupport

@Suite("Models and the options of their chain", .timeLimit(.minutes(10)), .paced)
struct ModelOptionTests {
    private struct Filter: Codable, Sendable, Equatable {
        var startsAt: Date
        var endsAt: Date?
        var isOpen = true
    }

    /// Writes and reads an envelope around what it is.
    private struct Wrapped: Codable, RawMappable, DTOConvertible, Sendable, Equatable {
        typealias DTO = Wrapped
        var startsAt: Date

        static func from(raw: Json) throws -> Wrapped {
            guard let data = raw["data"] else { throw Missing() }
            return try data.decode()
        }

        func toRaw() throws -> Json {
            var json = try Json(encoding: self)
            json["version"] = 2
            return ["data": json]
        }

        struct Missing: Error {}
    }

    private let requests = Recorder<TransportRequest>()

    private func builder(_ text: String = "{}") -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>().set(transport: requests.transport(text))
    }

    private static let day = Date(timeIntervalSince1970: 0)
    private static let coding = JsonCoding(keys: .snakeCase, dates: .iso8601)

    @Test("a model that cannot be encoded sends nothing, and the cause names the place")
    func unencodable() async throws {
        struct Broken: Encodable, Sendable { var list = [1.0, Double.nan] }
        let error = await failure { try await builder().route(.post, "http://a.test/").build().process(Broken()) }
        guard case .invalidValue(_, let context)? = error?.cause as? EncodingError else {
            Issue.record("\(error.debugDescription)")
            return
        }
        #expect(error?.code == .encodingFailed && requests.values.isEmpty)
        #expect(context.codingPath.map(\.stringValue).first == "list")
    }

    private func query() -> String? { requests.values.last?.url.query() }
    private func body() -> String { String(decoding: requests.values.last?.body.data ?? Data(), as: UTF8.self) }

    @Test("a GET sends a model's dates as set(query:) does, whatever the chain's JSON options")
    func modelQuery() async throws {
        let chain: Chain<Filter, Void> = builder().route(.get, "http://a.test/").build()
        try await chain.process(Filter(startsAt: Self.day))
        #expect(query() == "isOpen=1&startsAt=1970-01-01T00%3A00%3A00Z")

        try await builder().route(.get, "http://a.test/")
            .set(query: ["startsAt": Self.day, "isOpen": true]).build().process()
        #expect(query() == "isOpen=1&startsAt=1970-01-01T00%3A00%3A00Z")

        let entries: Chain<Filter, Void> = builder().route(.get, "http://a.test/")
            .set(coding: Self.coding)
            .parameters { parameters in
                parameters.null = .null
                parameters.bool = .asBool
                parameters.date = .secondsSince1970
            }
            .build()
        try await entries.process(Filter(startsAt: Self.day))
        #expect(query() == "ends_at=null&is_open=true&starts_at=0")
    }

    @Test("a form sends a model's dates by the strategies, too")
    func modelForm() async throws {
        let chain: Chain<Filter, Void> = builder().route(.post, "http://a.test/").encode(as: .formUrl)
            .parameters { $0.null = .empty }.build()
        try await chain.process(Filter(startsAt: Self.day))
        #expect(body() == "endsAt=&isOpen=1&startsAt=1970-01-01T00%3A00%3A00Z")
    }

    @Test("a model's own from(raw:) and toRaw() have the chain's options, in containers too")
    func ownMapping() async throws {
        let text = #"{"data":{"starts_at":"1970-01-01T00:00:00Z","version":2}}"#
        let one: Chain<Wrapped, Wrapped> = builder(text).route(.post, "http://a.test/").set(coding: Self.coding).build()
        let value: Wrapped = try await one.process(Wrapped(startsAt: Self.day))
        #expect(value == Wrapped(startsAt: Self.day))
        #expect(body() == text)

        let many: Chain<[Wrapped], [Wrapped]> = builder("[\(text),\(text)]").route(.post, "http://a.test/")
            .set(coding: Self.coding).build()
        let values: [Wrapped] = try await many.process([value, value])
        #expect(values == [value, value])
        #expect(body() == "[\(text),\(text)]")
    }

    @Test("JSON from a chain is later decoded with the chain's options too")
    func laterDecoding() async throws {
        let builder = builder(#"{"list":[{"starts_at":"1970-01-01T00:00:00Z","is_open":true}]}"#)
            .route(.get, "http://a.test/").set(coding: Self.coding)
        let json: Json = try await builder.build().process()
        #expect(try json["list"]?[0]?.decode(Filter.self) == Filter(startsAt: Self.day))
        let reply: Response<[String: [Filter]]> = try await builder.build().process()
        #expect(reply.model["list"] == [Filter(startsAt: Self.day)])
    }
}

@Suite("Additions to a request", .timeLimit(.minutes(10)), .paced)
struct AdditionTests {
    private let requests = Recorder<TransportRequest>()

    private func sent(_ change: (UrlChainsBuilder<String>) -> UrlChainsBuilder<String>) async throws -> TransportRequest
    {
        let client = Client(transport: requests.transport()).add(header: "X-Client", "c").add(query: ["key": "k"])
        let base = UrlChainsBuilder<String>(client: client).route(.get, "http://a.test/?page=1")
        try await change(base).build().process()
        return try #require(requests.values.last)
    }

    @Test("a field is added to existing ones; one with the same name replaces all of them")
    func header() async throws {
        let added = try await sent { $0.add(header: "X-A", "1").add(header: "X-B", "2").add(header: "x-a", "3") }
        #expect(added.headers[values: "X-A"] == ["3"])
        #expect(added.headers["X-B"] == "2" && added.headers["X-Client"] == "c")

        let replaced = try await sent { $0.set(metadata: ["X-A": "1"]) }
        #expect(replaced.headers["X-A"] == "1" && replaced.headers["X-Client"] == nil)
        let kept = try await sent { $0.set(metadata: ["X-A": "1"]).add(header: "X-B", "2") }
        #expect(kept.headers["X-A"] == "1" && kept.headers["X-B"] == "2")
    }

    @Test("content stays as it is on the wire where a verb says so")
    func contentCoding() async throws {
        #expect(try await sent { $0 }.coding == .automatic)
        #expect(try await sent { $0.set(contentCoding: .identity) }.coding == .identity)
        let both = try await sent { $0.set(contentCoding: .identity).set(contentCoding: .automatic) }
        #expect(both.coding == .automatic)
    }

    @Test("repeated fields stay repeated, and replace existing lines")
    func headers() async throws {
        let added = try await sent {
            $0.add(headers: ["X-A": "0", "X-B": "2"]).add(headers: ["X-A": "1", "x-a": "2", "X-Client": "mine"])
        }
        #expect(added.headers[values: "X-A"] == ["1", "2"])
        #expect(added.headers["X-B"] == "2")
        #expect(added.headers[values: "X-Client"] == ["mine"])
    }

    @Test("query items are added to those of client and route; for an existing name the new value counts")
    func query() async throws {
        let added = try await sent { $0.add(query: ["a": 1, "b": 2]).add(query: ["b": 3, "list": [1, 2]]) }
        #expect(added.url.query() == "page=1&a=1&b=3&key=k&list%5B%5D=1&list%5B%5D=2")
        let own = try await sent { $0.add(query: ["key": "mine"]) }
        #expect(own.url.query() == "page=1&key=mine")
        let replaced = try await sent { $0.set(query: ["a": 1]) }
        #expect(replaced.url.query() == "page=1&a=1")
        let none = try await sent { $0.add(query: [:]) }
        #expect(none.url.query() == "page=1&key=k")
    }

    @Test("a value without a query form makes the call fail, whether it was set first or added later")
    func unsupported() async throws {
        struct Own {}
        for step in [0, 1] {
            let error = await #expect(throws: NetworkError.self) {
                _ = try await sent {
                    $0.add(query: step == 0 ? ["a": Own()] : ["b": 1]).add(query: step == 0 ? ["b": 1] : ["a": Own()])
                }
            }
            #expect(error?.code == .unsupportedValue)
        }
    }
}
