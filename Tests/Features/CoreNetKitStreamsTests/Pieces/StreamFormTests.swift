import CoreNetKitStreams
import TestSupport

@Suite("The ends that read by pieces", .timeLimit(.minutes(10)), .paced)
struct StreamFormTests {
    /// A server that gives an end what it reads.
    private func server(_ end: StreamEnd) -> (mock: MockTransport, builder: UrlChainsBuilder<String>) {
        let mock = MockTransport {
            $0.on(.get, "/", end.response)
            $0.on(.post, "/", end.response)
        }
        return (mock, UrlChainsBuilder<String>().set(transport: mock).route(.get, "http://a.test/"))
    }

    @Test("each sends every input in its form", arguments: StreamInput.all, StreamEnd.allCases)
    func inputs(input: StreamInput, end: StreamEnd) async throws {
        let (mock, builder) = server(end)
        #expect(try await input.words(builder.route(.post, "http://a.test/"), end) == end.words.map { Word(word: $0) })
        #expect(try #require(mock.requests.first).text == input.body)
    }

    @Test("each reads every model, and text and bytes", arguments: StreamEnd.allCases)
    func outputs(end: StreamEnd) async throws {
        let (_, builder) = server(end)
        let texts = end.words.map { "{\"word\":\"\($0)\"}" }

        #expect(try await end.read(builder, .nothing, (), .json) == end.words.map { Word(word: $0) })
        let sentences = try await end.read(builder, .nothing, (), .json(Sentence.self))
        #expect(sentences.map(\.text) == end.words.map { $0 + "." })
        #expect(try await end.read(builder, .nothing, (), .json(Json.self)).map { $0["word"]?.string } == end.words)
        #expect(try await end.read(builder, .nothing, (), .text) == texts)
        #expect(try await end.read(builder, .nothing, (), .data) == texts.map { Data($0.utf8) })
    }

    @Test("a response is not read from a piece", arguments: StreamEnd.allCases.filter { $0 != .pages })
    func whole(end: StreamEnd) async throws {
        let (_, builder) = server(end)
        let error = await expectFailure(.invalidChain) {
            try await end.read(builder, .nothing, (), .response(.json(Word.self)))
        }
        #expect(error?.message.contains("'.response' reads a whole response") == true, "\(error?.message ?? "")")
    }

    @Test("events are read as they are without a form for them")
    func raw() async throws {
        let (mock, builder) = server(.events)
        let chain = builder.route(.post, "http://a.test/").events(sending: .json(Word.self)).reconnect(.never)
        let events = try await chain.call(Word(word: "q")).collect()
        #expect(events.map(\.model) == ["a", "b"].map { ServerSentEvent(data: "{\"word\":\"\($0)\"}") })
        #expect(mock.requests.map(\.text) == ["{\"word\":\"q\"}"])
    }

    @Test("bytes that are not UTF-8 are no text")
    func text() async throws {
        let mock = MockTransport { $0.on(.get, "/", .data(Data([0x22, 0xE9, 0x22, 0x0A]), type: "application/jsonl")) }
        let builder = UrlChainsBuilder<String>().set(transport: mock).route(.get, "http://a.test/")
        await expectFailure(.decodingFailed) { try await builder.lines(reading: .text).call().collect() }
    }

    @Test("a plain model is sent and models with a DTO are read over a socket", arguments: StreamEnd.allCases)
    func wire(end: StreamEnd) async throws {
        let wire = try Wire()
        wire.server.on(.post, "/", .pieces(end.type, end.content))
        let read = try await end.read(wire.post("/"), .json, Word(word: "q"), .json(Sentence.self))
        #expect(read.map(\.text) == end.words.map { $0 + "." })
        #expect(wire.server.requests.map(\.text) == ["{\"word\":\"q\"}"])
        let type = end.type.prefix { $0 != ";" }
        #expect(wire.server.requests.first?.headers["Accept"]?.hasPrefix(type) == true)
    }
}

enum StreamEnd: CaseIterable {
    case events, lines, sequence, elements, parts, pages

    var words: [String] { self == .pages ? ["a"] : ["a", "b"] }

    var type: String {
        switch self {
        case .events: "text/event-stream"
        case .lines: "application/jsonl"
        case .sequence: "application/json-seq"
        case .elements, .pages: "application/json"
        case .parts: "multipart/mixed; boundary=x"
        }
    }

    var content: String {
        let texts = words.map { "{\"word\":\"\($0)\"}" }
        return switch self {
        case .events: texts.map { "data: \($0)\n\n" }.joined()
        case .lines: texts.map { "\($0)\n" }.joined()
        case .sequence: texts.map { "\u{1E}\($0)\n" }.joined()
        case .elements: "[" + texts.joined(separator: ",") + "]"
        case .parts: texts.map { "--x\r\n\r\n\($0)\r\n" }.joined() + "--x--\r\n"
        case .pages: texts.joined()
        }
    }

    var response: MockResponse { .data(Data(content.utf8), type: type) }

    /// What is read to the end.
    func read<Route, Input, Model>(
        _ builder: UrlChainsBuilder<Route>,
        _ sending: Sending<Input>,
        _ input: Input,
        _ reading: CoreNetKit.Reading<Model>
    ) async throws -> [Model] {
        switch self {
        case .events:
            let chain = builder.events(sending: sending, reading: reading).reconnect(.never)
            return try await chain.call(input).collect().map(\.model)
        case .lines: return try await builder.lines(sending: sending, reading: reading).call(input).collect()
        case .sequence: return try await builder.jsonSequence(sending: sending, reading: reading).call(input).collect()
        case .elements:
            return try await builder.elements(at: "", sending: sending, reading: reading).call(input).collect()
        case .parts:
            return try await builder.parts(sending: sending, reading: reading).call(input).collect().map(\.model)
        case .pages:
            return try await builder.pages(.next { _ in nil }, of: input, sending: sending, reading: reading).collect()
        }
    }
}

/// An input, and what it is on the wire.
struct StreamInput: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: String
    let words: @Sendable (UrlChainsBuilder<String>, StreamEnd) async throws -> [Word]

    init<Input: Sendable>(_ name: String, _ sending: Sending<Input>, _ input: Input, _ body: String) {
        (testDescription, self.body) = (name, body)
        words = { builder, end in try await end.read(builder, sending, input, .json) }
    }

    static let all = [
        StreamInput("nothing", .nothing, (), ""),
        StreamInput("a plain Encodable", .json, Word(word: "q"), "{\"word\":\"q\"}"),
        StreamInput("a model with a DTO", .json, Sentence(text: "q"), "{\"word\":\"q\"}"),
        StreamInput("Json", .json, ["q": 1] as Json, "{\"q\":1}"),
        StreamInput("a string", .text, "q", "q"),
        StreamInput("bytes", .data, Data("q".utf8), "q"),
        StreamInput("a model by its DTO", .model, Sentence(text: "q"), "{\"word\":\"q\"}"),
    ]
}
