import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitStreams
import Foundation
import TestPace
import Testing

@Suite("Silence on event streams", .timeLimit(.minutes(10)), .paced)
struct EventSilenceTests {
    @Test("a silence longer than allowed ends the stream, after what came before it")
    func silence() async throws {
        let wire = try Wire()
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
