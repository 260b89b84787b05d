import CoreNetKitStreams
import TestSupport

@Suite("JSON by pieces over a socket", .timeLimit(.minutes(10)), .paced)
struct ElementStreamTests {
    private let wire: Wire

    init() throws { wire = try Wire() }

    @Test("a sequence with a damaged text: fail, skip, or use the bytes")
    func policies() async throws {
        let text = "\u{1E}{\"word\":\"a\"}\n\u{1E}{\"wo\n\u{1E}{\"word\":\"b\"}\n"
        wire.server.on(.get, "/s", .pieces("application/json-seq", text))
        let chain: Chain<Void, ElementStream<Word>> = wire.get("/s").jsonSequence(reading: .json)
        let error = await expectFailure(.decodingFailed) { try await chain.process().collect() }
        #expect(error?.message.hasPrefix("element 1 at byte 15: ") == true, "\(error?.message ?? "")")
        let skipping = try await chain.process().skippingDamaged()
        #expect(try await skipping.collect() == [Word(word: "a"), Word(word: "b")])
        #expect(skipping.skipped == 1)
        let raw = try await chain.process().raw.collect().map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(raw == ["{\"word\":\"a\"}", "{\"wo", "{\"word\":\"b\"}"])
    }

    @Test("the elements of an array, and what surrounds it")
    func elements() async throws {
        let texts = ["{\"data\":{\"items\":[{\"word\":\"a\"},", "{\"word\":\"b\"}]},\"next\":\"n\"}"]
        wire.server.on(.get, "/a", .pieces("application/json", texts[0], texts[1]))
        let stream = try await wire.get("/a").elements(at: "data.items", reading: .json(Word.self)).process()
        #expect(stream.rest == nil)
        #expect(try await stream.collect() == [Word(word: "a"), Word(word: "b")])
        #expect(stream.rest?["next"]?.string == "n")
    }

    @Test("content that ends inside an element is an error, skipped or not", arguments: [false, true])
    func cut(_ isSkipping: Bool) async throws {
        wire.server.on(.get, "/l", .pieces("application/jsonl", "{\"word\":\"a\"}\n{\"word\":"))
        wire.server.on(.get, "/a", .pieces("application/json", "[{\"word\":\"a\"},{\"word\":"))
        let chains: [Chain<Void, ElementStream<Word>>] = [
            wire.get("/l").lines(reading: .json), wire.get("/a").elements(at: "", reading: .json),
        ]
        for chain in chains {
            let stream = try await chain.process()
            await expectFailure(.connectionLost, .cut) {
                try await (isSkipping ? stream.skippingDamaged() : stream).collect()
            }
        }
    }

    @Test("HTML with 200 is a typed error with its place", arguments: ["/l", "/a"])
    func html(_ path: String) async throws {
        wire.server.on(.get, path, .pieces("text/html", "<html>\n"))
        let chain: Chain<Void, ElementStream<Word>> =
            path == "/l" ? wire.get(path).lines(reading: .json) : wire.get(path).elements(at: "x", reading: .json)
        let error = await #expect(throws: NetworkError.self) { try await chain.process().collect() }
        #expect(error?.code == .decodingFailed || error?.code == .connectionLost)
        #expect(error?.response?.headers["Content-Type"] == "text/html")
    }

    @Test("an element beyond the limit ends the transfer")
    func limit() async throws {
        wire.server.on(.get, "/a", .stream { $0 == 0 ? Data("[\"".utf8) : Data(repeating: 0x61, count: 1 << 16) })
        let chain = wire.get("/a").elements(at: "", options: .init(limit: 1 << 20), reading: .json(String.self))
        await expectFailure(.responseTooLarge) { try await chain.process().collect() }
        try await wire.server.waitForDisconnect(of: 0)
    }

    @Test("parts come as models with their fields")
    func parts() async throws {
        let text =
            "---\r\nContent-Type: application/json\r\nX: 1\r\n\r\n{\"word\":\"a\"}\r\n---\r\n\r\n{\"word\":\"b\"}\r\n-----\r\n"
        wire.server.on(.get, "/p", .pieces("multipart/mixed; boundary=\"-\"", text))
        let parts = try await wire.get("/p").parts(reading: .json(Word.self)).process().collect()
        #expect(parts.map(\.model) == [Word(word: "a"), Word(word: "b")])
        #expect(parts.map { $0.headers["X"] } == ["1", nil])
    }

    @Test("a body that is not multipart, is truncated, or has a part beyond the limit is an error")
    func partFaults() async throws {
        wire.server.on(.get, "/json", .json("{}"))
        wire.server.on(.get, "/cut", .pieces("multipart/mixed; boundary=b", "--b\r\n\r\n{\"word\":\"a\"}\r\n"))
        let long = "--b\r\n\r\n\"" + String(repeating: "x", count: 100)
        wire.server.on(.get, "/long", .pieces("multipart/mixed; boundary=b", long))
        for (path, code) in [
            ("/json", .decodingFailed), ("/cut", .connectionLost), ("/long", .responseTooLarge),
        ] as [(String, NetworkError.Code)] {
            let chain = wire.get(path).parts(.init(limit: 50), reading: .json(Word.self))
            await expectFailure(code) { try await chain.process().collect() }
        }
    }
}
