import CoreNetKitStreams
import TestSupport

@Suite("The error model of a client, beyond one request", .timeLimit(.minutes(10)), .paced)
struct ErrorModelTests {
    private static let refusal = LoopbackResponse.json(#"{"word": "no"}"#, status: 403)

    private let wire: Wire
    private let clock = ManualClock()
    private let client: Client

    init() throws {
        wire = try Wire()
        client = Client(clock: CallClock(clock), seed: 1).mapFailure(as: Word.self)
    }

    private func pages(_ client: Client) -> Pages<ItemPage> {
        wire.server.on(.get, "/items") { request in
            request.query("cursor") == nil ? .json("{\"items\":[1],\"next\":\"a\"}") : Self.refusal
        }
        return wire.get("/items", client: client).pages(.cursor(\.next, as: "cursor"), reading: .json)
    }

    @Test("is the error of a page, after the list's own conversion of it")
    func pages() async throws {
        await #expect(throws: Word.self) { try await pages(client).collect() }
        await #expect(throws: Word.self) { try await pages(client).mapError { $0 }.collect() }
        let status = Locked(0)
        let own = pages(client).mapError { error in
            status.withLock { $0 = error.status ?? 0 }
            return CancellationError()
        }
        await #expect(throws: CancellationError.self) { try await own.collect() }
        #expect(status.withLock { $0 } == 403)
    }

    @Test("is the error of events whose first connection is refused, or a later one after those that were repeated")
    func refusedEvents() async throws {
        let busy = LoopbackResponse.json(#"{"word": "busy"}"#, status: 503)
        wire.server.on(.get, "/e", .events("data: a\n\n"), busy, Self.refusal)
        let stream = try await wire.get("/e", client: client).events().process()
        let error = await #expect(throws: Word.self) { try await clock.passing { try await stream.collect() } }
        #expect(error == Word(word: "no"))
        #expect(wire.server.requests.count == 3)
        await #expect(throws: Word.self) { try await wire.get("/e", client: client).events().process() }
    }

    @Test("is the error of a stream in which an event reports it")
    func reported() async throws {
        wire.server.on(.get, "/e", .events("event: error\ndata: {\"word\": \"late\"}\n\n"))
        let stream = try await wire.get("/e", client: client).events().process()
            .failing(on: "error", as: Word.self)
        let error = await #expect(throws: Word.self) { try await stream.collect() }
        #expect(error == Word(word: "late"))
    }
}
