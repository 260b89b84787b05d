import TestSupport

@Suite("The forms of build()", .timeLimit(.minutes(10)), .paced)
struct BuildFormTests {
    let requests = Recorder<TransportRequest>()

    func builder(_ text: String, status: Int = 200) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>().set(transport: requests.transport(status: status, text))
            .route(.post, "http://localhost/")
    }

    var sent: String? { requests.values.last?.body.data.map { String(decoding: $0, as: UTF8.self) } }

    @Test("model to model, through both layers")
    func modelToModel() async throws {
        let user: User = try await builder(User.adaJson).build().process(User.ada)
        #expect(user == .ada)
        #expect(sent == #"{"age":36,"name":"Ada","photos":[{"id":"a.png","ref":"a.png"}]}"#)
    }

    @Test("arrays, optionals and dictionaries of models")
    func containers() async throws {
        let list: [User] = try await builder("[\(User.adaJson)]").build().process([User.ada])
        let maybe: User? = try await builder("null").build().process(User.ada)
        let byName: [String: User] = try await builder(#"{"x":\#(User.adaJson)}"#).build().process(User.ada)
        #expect(list == [.ada])
        #expect(maybe == nil)
        #expect(byName == ["x": .ada])
    }

    @Test("plain Codable types, without a DTO")
    func plainCodable() async throws {
        let user: PlainUser = try await builder(#"{"name":"B","age":2}"#).build().process(PlainUser(name: "A", age: 1))
        let numbers: [Int] = try await builder("[1,2]").build().process(["k": "v"])
        #expect(user == PlainUser(name: "B", age: 2))
        #expect(numbers == [1, 2])
        #expect(sent == #"{"k":"v"}"#)
    }

    @Test("no layer at all: Json, Data and String")
    func noLayer() async throws {
        let json: Json = try await builder(#"{"a":[1,1e400]}"#).build().process(["max": Json(UInt64.max)] as Json)
        #expect(json["a"]?[1]?.number == "1e400")
        #expect(sent == #"{"max":18446744073709551615}"#)

        let data: Data = try await builder("raw").build().process(Data("up".utf8))
        #expect(String(decoding: data, as: UTF8.self) == "raw")
        #expect(sent == "up")

        let text: String = try await builder("just text").build().process("hello")
        #expect(text == "just text")
        #expect(sent == "hello")
        #expect(requests.values.last?.headers["Content-Type"] == "text/plain; charset=utf-8")
    }

    @Test("a literal of values of different types is Json, in both forms")
    func literals() async throws {
        try await builder("").build().process(["max": 20, "all": true, "tags": ["a", nil, 1.5]])
        #expect(sent == #"{"max":20,"all":true,"tags":["a",null,1.5]}"#)

        let observer: Observer<Json> = builder(#"{"ok":true}"#).build().process(["id": 1, "name": "x"])
        #expect(try await observer.value["ok"]?.bool == true)
        #expect(sent == #"{"id":1,"name":"x"}"#)

        let any: [String: Any] = ["id": 1, "name": "x", "nested": ["k": [true, 2]]]
        try await builder("").build().process(Json(any))
        #expect(sent == #"{"id":1,"name":"x","nested":{"k":[true,2]}}"#)

        let called: Json = try await builder("[1]").build().call(["all": true, "max": 20])
        #expect(called == [1] && sent == #"{"all":true,"max":20}"#)
        let observed: Observer<Json> = builder("[2]").build().observe(["all": true, "max": 30])
        #expect(try await observed.value == [2] && sent == #"{"all":true,"max":30}"#)
    }

    @Test("process(), call() and observe() give the same value, with and without an input")
    func names() async throws {
        let (text, user) = (#"{"age":1,"name":"A"}"#, PlainUser(name: "A", age: 1))
        let plain: Chain<Void, PlainUser> = builder(text).build()
        let sending: Chain<PlainUser, PlainUser> = builder(text).build()
        #expect(try await plain.process() as PlainUser == user)
        #expect(try await plain.call() == user)
        #expect(try await plain.observe().value == user)
        #expect(try await sending.process(user) as PlainUser == user)
        #expect(try await sending.call(user) == user)
        #expect(try await sending.observe(user).value == user)
        #expect(requests.values.suffix(3).allSatisfy { $0.body.data == Data(text.utf8) })
    }

    @Test("a listener without a parameter is called once when a call without a result succeeds")
    @MainActor
    func noResult() async {
        var events: [String] = []
        let chain: Chain<Void, Void> = builder("").build()
        await withCheckedContinuation { continuation in
            chain.observe().onCompleted { events.append("completed") }.onError { events.append("\($0)") }
                .defer { continuation.resume() }
        }
        #expect(events == ["completed"])
    }

    @Test("a type with both conformances is a model with a DTO, as input and as output, whatever is on the other side")
    func both() async throws {
        let entry = #"{"wire":2}"#
        let (double, plain) = (Doubled(value: 1), PlainUser(name: "Ada", age: 36))
        let alone: Doubled = try await builder(entry).build().process()
        let fromItself: Doubled = try await builder(entry).build().process(double)
        #expect(sent == entry)
        let fromModel: Doubled = try await builder(entry).build().process(User.ada)
        let fromPlain: Doubled = try await builder(entry).build().process(plain)
        #expect([alone, fromItself, fromModel, fromPlain] == [double, double, double, double])

        let model: User = try await builder(User.adaJson).build().process(double)
        #expect(sent == entry && model == .ada)
        let plainOutput: PlainUser = try await builder(User.adaJson).build().process(double)
        #expect(sent == entry && plainOutput.name == "Ada")
        try await builder("").build().process(double)
        #expect(sent == entry)
        let response: Response<Void> = try await builder("", status: 201).build().process(double)
        #expect(sent == entry && response.status == 201)
        let whole: Response<Doubled> = try await builder(entry).build().process()
        #expect(whole.model == double)
    }

    /// As a `Codable` it is `{"value":1}`, as a model `{"wire":2}`.
    struct Doubled: Codable, DTOConvertible, Equatable {
        struct Entry: Codable, RawMappable {
            typealias Raw = Json
            var wire: Int
        }

        typealias DTO = Entry
        var value: Int

        static func from(dto: Entry) throws -> Doubled { Doubled(value: dto.wire / 2) }
        func toDTO() throws -> Entry { Entry(wire: value * 2) }
    }

    @Test("a response around a model of any kind")
    func responses() async throws {
        let dto: Response<User> = try await builder(User.adaJson, status: 201).build().process(User.ada)
        let plain: Response<PlainUser> = try await builder(User.adaJson, status: 202).build().process(User.ada)
        let list: Response<[User]> = try await builder("[\(User.adaJson)]").build().process()
        let raw: Response<Data> = try await builder("x").build().process()
        #expect(dto.status == 201 && dto.model == .ada)
        #expect(plain.status == 202 && plain.model.name == "Ada")
        #expect(list.model == [.ada] && list.url.absoluteString == "http://localhost/")
        #expect(raw.model == Data("x".utf8))
    }

    @Test("a custom format, in both directions")
    func ownFormat() async throws {
        let table: Table = try await builder("a;b\n1;2").build().process(Table(rows: [["x", "y"]]))
        #expect(table == Table(rows: [["a", "b"], ["1", "2"]]))
        #expect(sent == "x;y")
        #expect(requests.values.last?.headers["Content-Type"] == "text/csv")
        #expect(requests.values.last?.headers["Accept"] == "text/csv")
    }

    /// A raw format that the framework does not know.
    struct Csv: RequestPayload, ResponsePayload {
        static var accept: String { "text/csv" }
        var text: String

        init(text: String) { self.text = text }
        init(response: TransportResponse) { text = String(decoding: response.body.data ?? Data(), as: UTF8.self) }

        func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) -> EncodedPayload {
            EncodedPayload(body: .bytes(Data(text.utf8)), contentType: "text/csv")
        }
    }

    struct Table: RawMappable, DTOConvertible, Equatable {
        typealias Raw = Csv
        typealias DTO = Table
        var rows: [[String]]

        static func from(raw: Csv) throws -> Table {
            Table(rows: raw.text.split(separator: "\n").map { $0.split(separator: ";").map(String.init) })
        }

        func toRaw() throws -> Csv { Csv(text: rows.map { $0.joined(separator: ";") }.joined(separator: "\n")) }
        static func from(dto: Table) throws -> Table { dto }
        func toDTO() throws -> Table { self }
    }
}
