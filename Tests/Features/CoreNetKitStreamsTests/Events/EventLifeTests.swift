import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitMock
import CoreNetKitStreams
import Foundation
import TestPace
import Testing

@Suite("Streams of events: what opens one, and what keeps it", .timeLimit(.minutes(10)), .paced)
struct EventLifeTests {
    private let wire: Wire
    private let clock = ManualClock()
    private let client: Client

    init() throws {
        wire = try Wire()
        client = Client(clock: CallClock(clock), seed: 1)
    }

    /// The events of connections with these responses, then 204, while time passes whenever the stream waits.
    private func read(_ responses: [LoopbackResponse]) async -> (events: [String], error: NetworkError?) {
        let turn = LockedCounter()
        wire.server.on(.get, "/e") { _ in
            let place = turn.next() - 1
            return place < responses.count ? responses[place] : .status(204)
        }
        var events: [String] = []
        do {
            try await clock.passing {
                for try await event in try await wire.get("/e", client: client).rawEvents().process() {
                    events.append(event.model.data)
                }
            }
        } catch {
            return (events, error as? NetworkError)
        }
        return (events, nil)
    }

    @Test("a channel with only comments lives, however often it ends", arguments: [": ping\n\n", ":\n"])
    func comments(_ comment: String) async throws {
        let quiet = Array(repeating: LoopbackResponse.events(comment), count: 25)
        let (events, error) = await read(quiet + [.events("data: a\n\n")])
        #expect(events == ["a"] && error == nil)
        #expect(wire.server.requests.count == 27)
    }

    @Test("only 200 starts a stream, at first and later", arguments: [201, 203, 205, 206, 210, 299])
    func statuses(_ status: Int) async throws {
        var other = LoopbackResponse.events("data: b\n\n")
        other.status = status
        for responses in [[other], [.events("data: a\n\n"), other]] {
            let (events, error) = await read(responses)
            #expect(error?.code == .invalidResponse && error?.status == status)
            #expect(events == (responses.count == 1 ? [] : ["a"]))
        }
    }

    @Test(
        "an id that no field can carry is not sent, and the stream continues",
        arguments: [
            "\u{01}", "a\u{7F}b", "\u{1B}[0m", "\u{0B}",
        ]
    )
    func oddIDs(_ id: String) async throws {
        let (events, error) = await read([
            .events("id: 1\ndata: a\n\n"), .events("id: \(id)\ndata: b\n\n"), .events("data: c\n\n"),
            .events("id: 4\ndata: d\n\n"),
        ])
        #expect(events == ["a", "b", "c", "d"] && error == nil)
        #expect(wire.server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", nil, nil, "4"])
    }

    @Test("a silence longer than allowed ends the stream, after what came before it")
    func silence() async throws {
        let content = Data("data: a\n\ndata: b\n\n".utf8)
        wire.server.on(.get, "/", .data(content, type: "text/event-stream").fault(.stall(.inBody(9))))
        var options = EventOptions()
        options.idle = .milliseconds(80)
        var seen: [String] = []
        let stream = try await wire.get("/").rawEvents(options).reconnect(.never).process()
        let failure = await #expect(throws: NetworkError.self) {
            for try await event in stream { seen.append(event.model.data) }
        }
        #expect(seen == ["a"] && failure?.code == .timedOut)
        try await wire.server.wait { $0.open == 0 }
    }
}
