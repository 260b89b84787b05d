import CoreNetKitStreams
import TestSupport

@Suite("Event streams: what opens one, what keeps it, and how they reconnect", .timeLimit(.minutes(10)), .paced)
struct EventReconnectionTests {
    private let wire: Wire
    private let clock = ManualClock()
    private let client: Client

    init() throws {
        wire = try Wire()
        client = Client(clock: CallClock(clock), seed: 1)
    }

    /// Reads everything, and lets the time pass whenever the stream waits.
    private func read(_ stream: EventStream<ServerSentEvent>) async throws -> [String] {
        try await clock.passing { try await stream.collect().map(\.model.data) }
    }

    /// The events of connections with these responses, then 204, while time passes whenever the stream waits.
    private func read(
        _ responses: [LoopbackResponse]
    ) async -> (events: [String], error: NetworkError?, stream: EventStream<ServerSentEvent>?) {
        let turn = Locked(0)
        wire.server.on(.get, "/e") { _ in
            let place = turn.next() - 1
            return place < responses.count ? responses[place] : .status(204)
        }
        var (events, stream) = ([String](), EventStream<ServerSentEvent>?.none)
        do {
            try await clock.passing {
                let opened = try await wire.get("/e", client: client).events().process()
                stream = opened
                for try await event in opened { events.append(event.model.data) }
            }
        } catch {
            return (events, error as? NetworkError, stream)
        }
        return (events, nil, stream)
    }

    private var lastIDs: [String?] { wire.server.requests.map { $0.headers["Last-Event-ID"] } }

    @Test("at the end of the response the stream continues with the last id, until 204")
    func lastID() async throws {
        let (events, error, stream) = await read([
            .events("id: …\ndata: a\n\n"), .events("data: b\n\n"), .events("id\ndata: c\n\n"), .events("data: d\n\n"),
        ])
        #expect(events == ["a", "b", "c", "d"] && error == nil)
        #expect(lastIDs == [nil, "…", "…", nil, nil])
        #expect(stream?.reconnects == 4 && stream?.state == .closed)
    }

    @Test("what was cut off is dropped, and comes again")
    func partialDropped() async throws {
        let first = LoopbackResponse.events("id: 1\ndata: a\n\n", "id: 2\ndata: b")
        #expect(await read([first, .events("id: 2\ndata: b\n\n")]).events == ["a", "b"])
        #expect(lastIDs == [nil, "1", "2"])
    }

    @Test("broken connections and transient failures are followed by another attempt, anything else is the end")
    func failures() async throws {
        let (events, error, stream) = await read([
            .events("data: a\n\n").fault(.reset(.atEnd)), .json("{}", status: 503), .fault(.reset(.beforeStatus)),
            .events("data: b\n\n"), .json("{}", status: 404),
        ])
        #expect(events == ["a", "b"] && error?.code == .notFound)
        #expect(wire.server.requests.count >= 5)
        #expect(stream?.state == .closed)
    }

    @Test("retry and Retry-After are waited for")
    func waits() async throws {
        let busy = LoopbackResponse.json("{}", status: 503).header("Retry-After", "120")
        wire.server.on(.get, "/e", .events("retry: 5000\ndata: a\n\n"), busy, .status(204))
        let stream = try await wire.get("/e", client: client).events().process()
        let reader = Task { try await stream.collect().count }
        for (requests, waits) in [(1, Duration.seconds(5)...(.seconds(10))), (2, .seconds(120)...(.seconds(120)))] {
            try await wire.server.waitForRequests(requests)
            try await clock.waitForSleepers(1)
            guard case .waiting(let wait) = stream.state else { throw StreamError(.malformed, "it does not wait") }
            #expect(waits.contains(wait))
            try await clock.advanceToNextSleeper()
        }
        #expect(try await reader.value == 1)
    }

    @Test("a server that only ends its responses is left alone after a while")
    func emptyConnections() async throws {
        let (_, error, _) = await read(Array(repeating: .events("retry: 5\n\n"), count: 20))
        #expect(error?.code == .connectionLost)
        #expect(wire.server.requests.count == 11)
    }

    @Test("each connection passes through the chain: a redirect is followed, a token renewed")
    func policies() async throws {
        let wire = wire
        wire.server.on(.get, "/e", .status(302, headers: ["Location": "/real"]))
        let count = Locked(0)
        wire.server.on(.get, "/real") { request in
            switch count.next() {
            case 1: .events("id: 1\ndata: a\n\n")
            case 2: .status(401)
            case 3: request.headers["Authorization"] == "Bearer 2" ? .events("data: b\n\n") : .status(400)
            default: .status(204)
            }
        }
        let tokens = Locked(0)
        let refresher = TokenRefresher(origins: .any) { _ in AccessToken("\(tokens.next())") }
        let stream = try await wire.get("/e", client: client).authorize(refresher).events().process()
        #expect(try await read(stream) == ["a", "b"])
    }

    @Test("a stream continues from a stored id, in the way that the server requires")
    func resumes() async throws {
        wire.server.on(.get, "/e", .events("id: 8\ndata: a\n\n"), .status(204))
        var options = EventOptions()
        options.lastEventID = "7"
        options.resume = { request, id in
            request.url = try #require(URL(string: "?after=\(id)", relativeTo: request.url)?.absoluteURL)
        }
        let stream = try await wire.get("/e", client: client).events(options).process()
        #expect(try await read(stream) == ["a"])
        #expect(wire.server.requests.map { $0.query("after") } == ["7", "8"])
    }

    @Test("the state is reported as it changes")
    func states() async throws {
        wire.server.on(.get, "/e", .events("data: a\n\n"), .status(204))
        let stream = try await wire.get("/e", client: client).events().process()
        var states = stream.states.makeAsyncIterator()
        #expect(await states.next() == .open)
        #expect(try await read(stream) == ["a"])
        #expect(await states.next() == .closed)
    }

    @Test(
        "waits double up to the cap, are spread, and are never shorter than the server asks",
        arguments: [
            (0, nil, nil, 0.0, Duration.milliseconds(100)), (0, nil, nil, 1.0, .seconds(1)),
            (3, nil, nil, 1.0, .seconds(8)), (60, nil, nil, 1.0, .seconds(30)), (0, .seconds(5), nil, 0.0, .seconds(5)),
            (1, .seconds(5), nil, 1.0, .seconds(10)), (5, .seconds(60), nil, 1.0, .seconds(60)),
            (0, .zero, nil, 0.0, .milliseconds(100)), (0, nil, .seconds(90), 0.5, .seconds(90)),
        ] as [(Int, Duration?, Duration?, Double, Duration)]
    )
    func backOff(_ failures: Int, _ retry: Duration?, _ after: Duration?, _ random: Double, _ expected: Duration) {
        let wait = EventReconnection.standard.wait(failures: failures, retry: retry, retryAfter: after, random: random)
        #expect(wait == expected)
    }

    // MARK: - What opens a stream, and what keeps it

    @Test("a channel with only comments lives, however often it ends", arguments: [": ping\n\n", ":\n"])
    func comments(_ comment: String) async throws {
        let quiet = Array(repeating: LoopbackResponse.events(comment), count: 25)
        let (events, error, _) = await read(quiet + [.events("data: a\n\n")])
        #expect(events == ["a"] && error == nil)
        #expect(wire.server.requests.count == 27)
    }

    @Test("only 200 starts a stream, at first and later", arguments: [201, 203, 205, 206, 210, 299])
    func statuses(_ status: Int) async throws {
        var other = LoopbackResponse.events("data: b\n\n")
        other.status = status
        for responses in [[other], [.events("data: a\n\n"), other]] {
            let (events, error, _) = await read(responses)
            #expect(error?.code == .invalidResponse && error?.status == status)
            #expect(events == (responses.count == 1 ? [] : ["a"]))
        }
    }

    @Test(
        "an id that no field can carry is not sent, and the stream continues",
        arguments: ["\u{01}", "a\u{7F}b", "\u{1B}[0m", "\u{0B}"]
    )
    func oddIDs(_ id: String) async throws {
        let (events, error, _) = await read([
            .events("id: 1\ndata: a\n\n"), .events("id: \(id)\ndata: b\n\n"), .events("data: c\n\n"),
            .events("id: 4\ndata: d\n\n"),
        ])
        #expect(events == ["a", "b", "c", "d"] && error == nil)
        #expect(lastIDs == [nil, "1", nil, nil, "4"])
    }

    @Test("a silence longer than allowed ends the stream, after what came before it")
    func silence() async throws {
        let content = Data("data: a\n\ndata: b\n\n".utf8)
        wire.server.on(.get, "/", .data(content, type: "text/event-stream").fault(.stall(.inBody(9))))
        var options = EventOptions()
        options.idle = .milliseconds(80)
        var seen: [String] = []
        let stream = try await wire.get("/").events(options).reconnect(.never).process()
        await expectFailure(.timedOut) { for try await event in stream { seen.append(event.model.data) } }
        #expect(seen == ["a"])
        try await wire.server.wait { $0.open == 0 }
    }
}
