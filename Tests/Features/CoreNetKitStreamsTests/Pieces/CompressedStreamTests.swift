import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitStreams
import Foundation
import TestPace
import Testing

@Suite("Compressed streams", .timeLimit(.minutes(10)), .paced)
struct CompressedStreamTests {
    private let wire: Wire

    init() throws { wire = try Wire() }

    private func serve(_ type: String, _ content: Data) {
        wire.server.on(.get, "/", .data(content, type: type).header("Content-Encoding", "deflate"))
    }

    @Test("compressed events and lines are those that were compressed")
    func same() async throws {
        serve("text/event-stream", Deflated.stored(Data("id: 1\ndata: a\n\nid: 2\ndata: b\n\n".utf8)))
        let events = try await wire.get("/").rawEvents().reconnect(.never).process()
        var seen: [String] = []
        for try await event in events { seen.append("\(event.id) \(event.model.data)") }
        #expect(seen == ["1 a", "2 b"])
        let text = (0..<2_000).map { "{\"word\":\"\($0)\"}\n" }.joined()
        serve("application/jsonl", Deflated.stored(Data(text.utf8)))
        let chain: Chain<Void, ElementStream<Word>> = wire.get("/").lines()
        var count = 0
        for try await word in try await chain.process() {
            #expect(word.word == "\(count)")
            count += 1
        }
        #expect(count == 2_000)
    }

    // Line feeds are lines and parts of nothing: no limit of a line or an element would end them.
    @Test(
        "a bomb ends the stream with an error, whatever is read from it",
        arguments: ["events", "lines", "elements", "parts"]
    )
    func bomb(kind: String) async throws {
        let types = [
            "events": "text/event-stream", "lines": "application/jsonl", "elements": "application/json",
            "parts": "multipart/mixed; boundary=b",
        ]
        serve(types[kind] ?? "", Deflated.repeated(0x0A, 8_000_000))
        let failure = await #expect(throws: NetworkError.self) {
            switch kind {
            case "events":
                for try await _ in try await wire.get("/").rawEvents().reconnect(.never).process() {}
            case "parts":
                for try await _ in try await wire.get("/").rawParts().process() {}
            default:
                let lines: Chain<Void, ElementStream<Word>> =
                    kind == "lines" ? wire.get("/").lines() : wire.get("/").elements(at: "items")
                for try await _ in try await lines.process() {}
            }
        }
        #expect(failure?.code == .responseTooLarge)
    }
}
