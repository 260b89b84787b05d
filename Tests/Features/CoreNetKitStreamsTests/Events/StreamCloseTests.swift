import CoreNetKitStreams
import TestSupport

@Suite("Closed streams", .timeLimit(.minutes(10)), .paced)
struct StreamCloseTests {
    private let wire: Wire

    init() throws { wire = try Wire() }

    /// Begins content of a type, and sends no more of it, not even the end.
    private func begun(_ type: String, _ start: String) -> LoopbackResponse {
        let start = Data(start.utf8)
        return LoopbackResponse(
            headers: ["Content-Type": type],
            body: .stream(length: 100_000) { $0 == 0 ? start : Data(repeating: 0x20, count: 100_000 - start.count) }
        ).fault(.stall(.inBody(start.count)))
    }

    /// The first element of a stream that somebody holds, and how its reader ends when it is closed meanwhile.
    private func closing<Stream: AsyncSequence & Sendable>(
        _ stream: Stream,
        after requests: Int = 1,
        _ close: @Sendable () -> Void
    ) async throws where Stream.Element: Sendable {
        let hasRead = LoopbackGate()
        let reader = Task {
            var count = 0
            for try await _ in stream {
                count += 1
                hasRead.open()
            }
            return count
        }
        try await hasRead.wait()
        try await wire.server.wait { $0.requests == requests }
        close()
        #expect(try await reader.value == 1)
        try await wire.server.wait { $0.open == 0 }
        // It is the end for the next reader, too.
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == nil)
    }

    @Test("an event stream ends on the wire even if it is retained, before its end mark")
    func events() async throws {
        wire.server.on(.get, "/", begun("text/event-stream", "data: x\n\n"))
        let stream = try await wire.get("/").events().until(data: "[DONE]").process()
        try await closing(stream) { stream.close() }
        #expect(stream.state == .closed)
        #expect(wire.server.requests.count == 1)
    }

    @Test("elements and their bytes end on the wire even if they are retained", arguments: [0, 1, 2])
    func elements(kind: Int) async throws {
        wire.server.on(.get, "/l", begun("application/jsonl", "{\"word\":\"x\"}\n{\"wo"))
        wire.server.on(.get, "/a", begun("application/json", "[{\"word\":\"x\"},{\"wo"))
        let chain: Chain<Void, ElementStream<Word>> =
            kind == 1 ? wire.get("/a").elements(at: "", reading: .json) : wire.get("/l").lines(reading: .json)
        let stream = try await chain.process()
        if kind == 2 {
            let raw = stream.raw
            try await closing(raw) { raw.close() }
        } else {
            try await closing(stream) { stream.close() }
        }
    }

    @Test("parts end on the wire even if they are retained")
    func parts() async throws {
        let text = "---\r\n\r\n{\"word\":\"a\"}\r\n---\r\n\r\n{\"wo"
        wire.server.on(.get, "/", begun("multipart/mixed; boundary=\"-\"", text))
        let stream = try await wire.get("/").parts(reading: .json(Word.self)).process()
        try await closing(stream) { stream.close() }
    }

    @Test("the chunks of a response end on the wire even if they are retained")
    func chunks() async throws {
        wire.server.on(.get, "/", begun("text/plain", "x"))
        let stream: ResponseStream = try await wire.get("/").loadStream().process()
        try await closing(stream) { stream.close() }
    }

    @Test(
        "pages are no longer requested, neither the one being waited for nor one in advance",
        arguments: [true, false]
    )
    func pages(isElements: Bool) async throws {
        wire.server.on(.get, "/") { request in
            let page = LoopbackResponse.json("{\"items\":[1],\"next\":\"\(request.index + 2)\"}")
            return request.index == 1 ? page.fault(.stall(.beforeStatus)) : page
        }
        let pages: Pages<ItemPage> = wire.get("/").pages(.cursor(\.next, as: "cursor"), reading: .json)
        if isElements {
            let elements = pages.elements(\.items)
            try await closing(elements, after: 2) { elements.close() }
        } else {
            try await closing(pages, after: 2) { pages.close() }
        }
        #expect(wire.server.counts.requests == 2)
    }

    @Test("an event stream that waits for its next connection makes none", arguments: [true, false])
    func reconnecting(isConnecting: Bool) async throws {
        let clock = ManualClock()
        wire.server.on(.get, "/") { request in
            if request.index == 0 { return .events("data: x\n\n") }
            return LoopbackResponse.events("data: y\n\n").fault(.stall(.beforeStatus))
        }
        let stream = try await wire.get("/", client: Client(clock: CallClock(clock))).events().process()
        let reader = Task { try await stream.collect().count }
        try await clock.waitForSleepers(1)
        if isConnecting {
            clock.advance(by: .seconds(1))
            try await wire.server.wait { $0.requests == 2 }
        }
        stream.close()
        #expect(try await reader.value == 1)
        #expect(stream.state == .closed)
        // The connection of a response that has ended is kept for the next one.
        if isConnecting { try await wire.server.wait { $0.open == 0 } }
        #expect(wire.server.requests.count == (isConnecting ? 2 : 1))
    }

    /// How a stream of events ends.
    enum End: CaseIterable, Sendable {
        case noContent, closed, cancelled, dropped, failed
    }

    @Test("the states end with the stream, however it ends, and keep nothing alive", arguments: End.allCases)
    func states(end: End) async throws {
        wire.server.on(.get, "/", begun("text/event-stream", "data: 1\n\n"))
        wire.server.on(.get, "/none", .status(204))
        wire.server.on(.get, "/bad", .events("data: 1\n\ndata: no\n\n"))
        let path = end == .noContent ? "/none" : end == .failed ? "/bad" : "/"
        let watcher: Task<[EventStreamState], Never>
        // Whoever keeps a stream that has ended gets the end of its states, too.
        var kept: EventStream<Json>?
        do {
            let plain = try await wire.get(path).events(reading: .json(Json.self)).process()
            let stream = end == .failed ? plain.failing(on: "message", as: Word.self) : plain
            let states = stream.states
            if end != .dropped { kept = stream }
            watcher = Task { await states.reduce(into: []) { $0.append($1) } }
            let hasRead = LoopbackGate()
            switch end {
            case .noContent, .dropped: break
            case .closed: stream.close()
            case .cancelled:
                let reader = Task {
                    hasRead.open()
                    return try await stream.rest()
                }
                try await hasRead.wait()
                reader.cancel()
                await #expect(throws: CancellationError.self) { try await reader.value }
            case .failed: await #expect(throws: NetworkError.self) { try await stream.rest() }
            }
        }
        #expect(await watcher.value.last == .closed)
        #expect((kept == nil) == (end == .dropped))
        if end != .noContent, end != .failed { try await wire.server.wait { $0.open == 0 } }
    }
}

extension EventStream {
    /// Reads to the end.
    fileprivate func rest() async throws { for try await _ in self {} }
}
