import CoreNetKitSockets
import TestSupport

@Suite("A socket on a tape", .timeLimit(.minutes(10)), .paced)
final class SocketTapeTests: Sendable {
    private struct Note: Codable, Equatable, Sendable {
        var id: Int
        var token: String?
    }

    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("socket-\(UUID().uuidString).har")

    deinit { try? FileManager.default.removeItem(at: file) }

    private func chain(_ transport: any Transport, compressed: Bool = false) -> Chain<Void, Socket<Note, Note>> {
        let deflate = compressed ? SocketCompression.deflate(above: 0) : nil
        let options = SocketOptions { ($0.protocols, $0.compression) = (["notes"], deflate) }
        return UrlChainsBuilder<String>(client: Client(seed: 1).set(transport: transport))
            .route(.get, "wss://localhost/socket")
            .socket(reading: .json, writing: .json, options)
    }

    /// Two questions and three notes, and the server's close.
    private func record() async throws {
        let line = Line(
            .socket(protocols: ["notes"]) { peer in
                peer.send(json: Note(id: 0))
                try await peer.expect(json: Note(id: 1, token: "s3cret-of-today"))
                peer.send(json: Note(id: 2))
                try await peer.expect(json: Note(id: 3))
                peer.send(json: Note(id: 4))
                peer.close(1001, "bye")
                try await peer.expectClose()
            }
        )
        let tape = try Cassette(file, mode: .rewrite, live: line.mock)
        #expect(try await talk(chain(tape, compressed: true)) == [0, 2, 4])
        await until { tape.report.recorded == 1 }
        #expect(tape.report.notRecorded == [])
    }

    private func talk(
        _ chain: Chain<Void, Socket<Note, Note>>,
        token: String = "s3cret-of-today",
        second: Int = 3
    ) async throws -> [Int] {
        let socket = try await chain.process()
        #expect(socket.selectedProtocol == "notes")
        var ids: [Int] = []
        for try await note in socket {
            ids.append(note.id)
            if note.id == 0 { try await socket.send(Note(id: 1, token: token)) }
            if note.id == 2 { try await socket.send(Note(id: second)) }
        }
        return ids
    }

    @Test("is recorded with its messages in their order, and without secrets")
    func records() async throws {
        try await record()
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("_webSocketMessages") && !text.contains("s3cret"))
        let entry = try #require(try Json(parsing: Data(text.utf8))["log"]?["entries"]?.array?.first)
        let messages = try #require(entry["_webSocketMessages"]?.array)
        #expect(messages.map { $0["type"]?.string }.prefix(5) == ["receive", "send", "receive", "send", "receive"])
        #expect(messages.compactMap { $0["opcode"]?.int }.prefix(6) == [1, 1, 1, 1, 1, 8])
        #expect(messages[5]["data"]?.string == "1001 bye")
    }

    @Test("is played with its order, today's secrets and compression being other ones", arguments: [false, true])
    func plays(compressed: Bool) async throws {
        try await record()
        let tape = try Cassette(file)
        #expect(try await talk(chain(tape, compressed: compressed), token: "another-day") == [0, 2, 4])
        #expect(tape.report.isClean)
    }

    @Test("breaks where the client sends something else, and the report says so")
    func differs() async throws {
        try await record()
        let tape = try Cassette(file)
        await expectFailure(.connectionLost) { _ = try await talk(chain(tape), second: 33) }
        #expect(tape.report.unmatched.count == 1 && tape.report.unmatched[0].contains("another message"))
        #expect(!tape.report.isClean)
    }

    @Test("of a browser is one too")
    func browser() async throws {
        let archive = """
            {"log":{"version":"1.2","entries":[{"startedDateTime":"2026-01-01T00:00:00Z","time":5,
            "request":{"method":"GET","url":"wss://localhost/socket","headers":[]},
            "response":{"status":101,"headers":[{"name":"Sec-WebSocket-Protocol","value":"notes"}],
            "content":{"size":0,"mimeType":"x-unknown"}},
            "_webSocketMessages":[{"type":"receive","time":1.5,"opcode":1,"data":"{\\"id\\":0}"},
            {"type":"send","time":1.6,"opcode":1,"data":"{\\"token\\": \\"x\\", \\"id\\": 1}"},
            {"type":"receive","time":1.7,"opcode":1,"data":"{\\"id\\":5}"}]}]}}
            """
        try Data(archive.utf8).write(to: file)
        let tape = try Cassette(file)
        let socket = try await chain(tape).process()
        var notes = socket.makeAsyncIterator()
        #expect(try await notes.next() == Note(id: 0))
        try await socket.send(Note(id: 1, token: "y"))
        #expect(try await notes.next() == Note(id: 5))
        #expect(await socket.close().code == .normal)
        #expect(tape.report.isClean)
    }
}
