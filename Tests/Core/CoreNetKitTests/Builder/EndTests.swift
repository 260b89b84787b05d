import TestSupport

@Suite("The ends of the builder", .timeLimit(.minutes(10)), .paced)
struct EndTests {
    @Test("each sends every input in its form", arguments: SentInput.all, End.allCases)
    func inputs(input: SentInput, end: End) async throws {
        let mock = MockTransport { $0.on(.post, "/", .text("read", status: 201)) }
        let builder = UrlChainsBuilder<String>().set(transport: mock).route(.post, "http://a.test/")
        #expect(try await input.send(builder, end) == "read")
        let request = try #require(mock.requests.first)
        #expect(request.headers["Content-Type"]?.hasPrefix(input.type ?? "-") == (input.type == nil ? nil : true))
        #expect(request.text == input.body || input.body == nil)
    }

    @Test("each output is read in its form, also with its response", arguments: ReadOutput.all)
    func outputs(output: ReadOutput) async throws {
        let mock = MockTransport { $0.on(.get, "/", .text(output.content, status: 203)) }
        try await output.check(UrlChainsBuilder<String>().set(transport: mock).route(.get, "http://a.test/"))
        #expect(mock.requests.map { $0.headers["Accept"] } == [output.accept, output.accept])
    }

    @Test("a status needs no content, and is an error if it says so")
    func status() async throws {
        let mock = MockTransport { $0.on(.get, "/", .status(204), .status(204), .status(404)) }
        let builder = UrlChainsBuilder<String>().set(transport: mock).route(.get, "http://a.test/")
        let response: Response<Void> = try await builder.build(reading: .response(.status)).call()
        #expect(response.status == 204)
        try await builder.build(reading: .status).call()
        let error = await #expect(throws: NetworkError.self) { try await builder.build(reading: .status).call() }
        #expect(error?.response?.status == 404)
    }

    @Test("content that does not match is an error with the response", arguments: [true, false])
    func mismatch(isAround: Bool) async throws {
        let mock = MockTransport { $0.on(.get, "/", .json("[]")) }
        let builder = UrlChainsBuilder<String>().set(transport: mock).route(.get, "http://a.test/")
        let error = await #expect(throws: NetworkError.self) {
            if isAround {
                _ = try await builder.build(reading: .response(.json(PlainUser.self))).call()
            } else {
                _ = try await builder.build(reading: .json(PlainUser.self)).call()
            }
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.response?.status == 200)
    }

    @Test("a GET sends its input as the query, and encode(as:) holds for .json")
    func places() async throws {
        let mock = MockTransport { $0.on(nil, "/", .text("")) }
        let builder = UrlChainsBuilder<String>().set(transport: mock)
        let input = PlainUser(name: "A b", age: 1)
        _ = try await builder.route(.get, "http://a.test/").loadData(sending: .json).call(input)
        _ = try await builder.route(.post, "http://a.test/").encode(as: .formUrl).loadData(sending: .json).call(input)
        #expect(mock.requests.map { $0.url.query() } == ["age=1&name=A%20b", nil])
        #expect(mock.requests.map(\.text) == ["", "age=1&name=A+b"])
    }

    @Test("a plain model is sent and its bytes come back over a socket, whole, as chunks and as a file")
    func wire() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/echo") { .json(String(decoding: $0.body, as: UTF8.self)) }
        let builder = UrlChainsBuilder<URL>().route(.post, server.url("/echo"))
        let file = FileManager.default.temporaryDirectory.appending(path: "ends-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let (input, text) = (PlainUser(name: "A", age: 1), #"{"age":1,"name":"A"}"#)
        #expect(try await builder.loadData(sending: .json).call(input) == Data(text.utf8))
        var read = Data()
        for try await chunk in try await builder.loadStream(sending: .json).call(input) { read.append(chunk) }
        #expect(read == Data(text.utf8))
        let response = try await builder.download(to: file, sending: .json).call(input)
        #expect(try Data(contentsOf: response.model) == Data(text.utf8))
        #expect(try await builder.build(sending: .json, reading: .json).call(input) == input)
    }
}

enum End: CaseIterable {
    case build, response, status, data, stream, file
}

/// An input, and what it is on the wire.
struct SentInput: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let type: String?
    /// The content; `nil` where it differs from call to call.
    let body: String?
    let send: @Sendable (UrlChainsBuilder<String>, End) async throws -> String

    init<Input: Sendable>(_ name: String, _ sending: Sending<Input>, _ input: Input, _ type: String?, _ body: String?) {
        (testDescription, self.type, self.body) = (name, type, body)
        send = { builder, end in
            switch end {
            case .build: return try await builder.build(sending: sending, reading: .text).call(input)
            case .response:
                return try await builder.build(sending: sending, reading: .response(.text)).call(input).model
            case .status:
                try await builder.build(sending: sending, reading: .status).call(input)
                return "read"
            case .data:
                return String(decoding: try await builder.loadData(sending: sending).call(input), as: UTF8.self)
            case .stream:
                var bytes = Data()
                for try await chunk in try await builder.loadStream(sending: sending).call(input) { bytes += chunk }
                return String(decoding: bytes, as: UTF8.self)
            case .file:
                let file = FileManager.default.temporaryDirectory.appending(path: "end-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: file) }
                let response = try await builder.download(to: file, sending: sending).call(input)
                return String(decoding: try Data(contentsOf: response.model), as: UTF8.self)
            }
        }
    }

    private static let json = "application/json"

    static let all = [
        SentInput("nothing", .nothing, (), nil, ""),
        SentInput("a plain Encodable", .json, PlainUser(name: "A", age: 1), json, #"{"age":1,"name":"A"}"#),
        SentInput("a model with a DTO", .json, User(name: "A", age: 1), json, #"{"age":1,"name":"A","photos":[]}"#),
        SentInput("a type that is both", .json, Tag(text: "a"), json, #"{"id":"a","ref":"a"}"#),
        SentInput("an array of models", .json, [Tag(text: "a")], json, #"[{"id":"a","ref":"a"}]"#),
        SentInput("a dictionary", .json, ["k": "v"], json, #"{"k":"v"}"#),
        SentInput("Json", .json, ["n": 1] as Json, json, #"{"n":1}"#),
        SentInput("a string as JSON", .json, "a", json, #""a""#),
        SentInput("a string as text", .text, "a", "text/plain; charset=utf-8", "a"),
        SentInput("bytes", .data, Data("a".utf8), "application/octet-stream", "a"),
        SentInput("a form", .model, MultipartModel([.field("a", "b")]), "multipart/form-data; boundary=", nil),
        SentInput("a model by its DTO", .model, Tag(text: "a"), json, #"{"id":"a","ref":"a"}"#),
    ]
}

/// Content, and what is read from it.
struct ReadOutput: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let content: String
    let accept: String
    let check: @Sendable (UrlChainsBuilder<String>) async throws -> Void

    init<Output: Sendable & Equatable>(
        _ name: String,
        _ reading: Reading<Output>,
        _ content: String,
        _ accept: String = "application/json",
        is output: Output
    ) {
        (testDescription, self.content, self.accept) = (name, content, accept)
        check = { builder in
            #expect(try await builder.build(reading: reading).call() == output)
            let response = try await builder.build(reading: .response(reading)).call()
            #expect(response.model == output)
            #expect(response.status == 203)
        }
    }

    static let all = [
        ReadOutput("a plain Decodable", .json, #"{"age":1,"name":"A"}"#, is: PlainUser(name: "A", age: 1)),
        ReadOutput("a model with a DTO", .json, User.adaJson, is: User.ada),
        ReadOutput("a type that is both", .json, #"{"id":"a","ref":"b"}"#, is: Tag(text: "b")),
        ReadOutput("an array of models", .json, "[\(User.adaJson)]", is: [User.ada]),
        ReadOutput("an optional", .json, "null", is: PlainUser?.none),
        ReadOutput("Json", .json, #"{"n":1}"#, is: ["n": 1] as Json),
        ReadOutput("a string as JSON", .json, #""a""#, is: "a"),
        ReadOutput("a string as text", .text, #""a""#, PlainText.accept, is: #""a""#),
        ReadOutput("bytes", .data, "a", "*/*", is: Data("a".utf8)),
        ReadOutput("a model by its DTO", .model, #"{"id":"a","ref":"b"}"#, is: Tag(text: "b")),
    ]
}

/// A model that is plain `Codable`, too, in another form than its DTO.
struct Tag: Codable, DTOConvertible, Equatable, Sendable {
    var text: String

    static func from(dto: PhotoEntry) throws -> Tag { Tag(text: dto.ref) }

    func toDTO() throws -> PhotoEntry { PhotoEntry(id: text, ref: text) }
}
