import CoreNetKitObservability
import CoreNetKitStreams
import TestSupport

@Suite("A stream that ends by its own rules has ended well", .timeLimit(.minutes(10)), .paced)
struct StreamEndTests {
    private let wire: Wire
    private let clock = ManualClock()
    private let sink = RecordingSink()
    private let metrics = CallMetrics()

    init() throws { wire = try Wire() }

    private var client: Client { Client(clock: CallClock(clock), seed: 1).record(to: sink).record(to: metrics) }

    /// Whether no view says of these calls that something was cut or cancelled.
    private func isWell(_ records: [CallRecord]) -> Bool {
        let traces = OTLPTraces.data(of: records, service: "test", includesCalls: true)
        let views = [
            String(decoding: HARWriter.data(of: records), as: UTF8.self), String(decoding: traces, as: UTF8.self),
            records.map(\.log).joined(), records.map(\.waterfall).joined(), CallPage(records).data, metrics.prometheus,
        ]
        return !views.contains { $0.contains("cancelled") || $0.contains("200 cut") || $0.contains("204 cut") }
    }

    /// A chat whose last chunk comes when the gate opens.
    private func chat(_ gate: LoopbackGate) -> LoopbackResponse {
        // The end mark in one chunk, framed.
        .events("data: x\n\ndata: [DONE]\n\n").fault(.stall(.inBody(4 + 23 + 2), until: gate))
    }

    @Test("the rest behind an end mark is read: ten chats are one connection and ten good records")
    func chats() async throws {
        let gates = (0..<10).map { _ in LoopbackGate() }
        wire.server.on(.post, "/chat") { chat(gates[$0.index]) }
        let chain: Chain<Void, EventStream<ServerSentEvent>> = wire.post("/chat", client: client).events()
        for (index, gate) in gates.enumerated() {
            let stream = try await chain.until(data: "[DONE]").process()
            #expect(try await stream.collect().map(\.model.data) == ["x"])
            #expect(stream.state == .closed)
            gate.open()
            _ = try await sink.waitForRecords(index + 1)
        }
        #expect(wire.server.counts.connections == 1)
        #expect(sink.records.count == 10 && sink.records.allSatisfy { $0.problems == [] })
        #expect(isWell(sink.records))
    }

    /// What a server does behind the end of a format.
    enum Rest: CaseIterable, Sendable { case nothing, much, cut }

    @Test(
        "what does not end behind an end mark is ended in a moment, and the stream was good",
        arguments: Rest.allCases
    )
    func rests(_ rest: Rest) async throws {
        let gate = LoopbackGate()
        let response: LoopbackResponse =
            switch rest {
            case .nothing: chat(gate)
            case .much:
                .stream { $0 == 0 ? Data("data: x\n\ndata: [DONE]\n\n".utf8) : Data(count: 1 << 14) }
                    .header("Content-Type", "text/event-stream")
            case .cut: .events("data: x\n\ndata: [DONE]\n\n", ":").fault(.close(.inBody(4 + 23 + 2)))
            }
        wire.server.on(.post, "/chat", response)
        let stream = try await wire.post("/chat", client: client).events().until(data: "[DONE]").process()
        #expect(try await stream.collect().count == 1)
        if rest == .nothing {
            try await clock.waitForSleepers(1)
            #expect(wire.server.counts.open == 1)
            clock.advance(by: .milliseconds(100))
        }
        try await wire.server.wait { $0.open == 0 }
        #expect(isWell(try await sink.waitForRecords(1)))
    }

    @Test("an event that is an error, and 204, are ends too, and one record each")
    func otherEnds() async throws {
        wire.server.on(.get, "/bad", .events("data: {\"word\":\"no\"}\n\n", "data: more\n\n"))
        wire.server.on(.get, "/none", .status(204))
        let chain = wire.get("/bad", client: client).events().failing(on: "message", as: Word.self)
        let bad = try await chain.process()
        await #expect(throws: NetworkError.self) { try await bad.collect() }
        #expect(isWell(try await sink.waitForRecords(1)))
        #expect(try await wire.get("/none", client: client).events().process().collect().isEmpty)
        #expect(isWell(try await sink.waitForRecords(2)))
        #expect(wire.server.counts.connections == 1 && sink.records.count == 2)
    }

    /// Content in pieces, and how its last one is known.
    struct Pieces: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: String
        let chunks: [String]

        static let all = [
            Pieces("lines", "application/jsonl", "{\"word\":\"a\"}\n{\"word\":\"b\"}\n"),
            Pieces("lines, apart", "application/jsonl", "{\"word\":\"a\"}\n", "{\"word\":\"b\"}\n", "\n"),
            Pieces("sequence", "application/json-seq", "\u{1E}{\"word\":\"a\"}\n\u{1E}{\"word\":\"b\"}\n"),
            Pieces("array", "application/json", "[{\"word\":\"a\"},", "{\"word\":\"b\"}", "]"),
            Pieces(
                "parts",
                "multipart/mixed; boundary=b",
                "--b\r\n\r\n{\"word\":\"a\"}\r\n--b\r\n\r\n{\"word\":\"b\"}\r\n--b--\r\n",
                "behind"
            ),
        ]

        init(_ name: String, _ type: String, _ chunks: String...) {
            (testDescription, self.type, self.chunks) = (name, type, chunks)
        }

        func response(isChunked: Bool) -> LoopbackResponse {
            let chunks = chunks.map { Data($0.utf8) }
            let body: LoopbackResponse.Body = isChunked ? .chunks(chunks) : .data(Data(chunks.joined()))
            return LoopbackResponse(headers: ["Content-Type": type], body: body)
        }
    }

    /// Reads up to a word, and leaves.
    private func read(_ pieces: Pieces, to last: String) async throws {
        let builder = wire.get("/p", client: client)
        if pieces.type.hasPrefix("multipart") {
            let chain: Chain<Void, PartStream<Word>> = builder.parts(reading: .json)
            for try await part in try await chain.process() where part.model.word == last { break }
            return
        }
        let chain: Chain<Void, ElementStream<Word>> =
            switch pieces.type {
            case "application/json": builder.elements(at: "", reading: .json)
            case "application/json-seq": builder.jsonSequence(reading: .json)
            default: builder.lines(reading: .json)
            }
        for try await word in try await chain.process() where word.word == last { break }
    }

    @Test(
        "a reader that leaves behind the last piece has read all, and the connection is kept",
        arguments: Pieces.all,
        [true, false]
    )
    func leaving(_ pieces: Pieces, isChunked: Bool) async throws {
        wire.server.on(.get, "/p", pieces.response(isChunked: isChunked))
        for count in 1...3 {
            try await read(pieces, to: "b")
            #expect(isWell(try await sink.waitForRecords(count)))
        }
        #expect(wire.server.counts.connections == 1)
    }

    @Test("one that leaves before it has cancelled the rest, in every view", arguments: Pieces.all)
    func cutting(_ pieces: Pieces) async throws {
        // More behind the first piece than is here when it is read.
        let first = pieces.response(isChunked: false)
        guard case .data(let data) = first.body else { return }
        let place = data.count / 2 + 1
        wire.server.on(.get, "/p", first.fault(.stall(.inBody(place))))
        try await read(pieces, to: "a")
        let time = Task { [clock] in try await clock.advanceToNextSleeper() }
        let record = try #require(try await sink.waitForRecords(1).first)
        time.cancel()
        #expect(record.waterfall.contains("200 cut"))
        #expect(metrics.prometheus.contains(#"error_type="cancelled""#))
        try await wire.server.wait { $0.open == 0 }
    }

    @Test("chunks that were read to the stated length are all of them")
    func length() async throws {
        wire.server.on(.get, "/", .text("whole"))
        let stream: ResponseStream = try await wire.get("/", client: client).loadStream().process()
        do {
            var chunks = stream.makeAsyncIterator()
            #expect(try await chunks.next() == Data("whole".utf8))
        }
        stream.close()
        #expect(isWell(try await sink.waitForRecords(1)))
    }
}

extension CallPage {
    /// The calls of the page, without its legend and its style.
    fileprivate var data: String {
        let start = html.range(of: #"<script type="application/json" id="data">"#)?.upperBound ?? html.startIndex
        return html[start...].components(separatedBy: "</script>")[0]
    }
}
