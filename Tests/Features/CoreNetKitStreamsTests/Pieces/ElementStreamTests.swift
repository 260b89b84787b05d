import CoreNetKitStreams
import TestSupport

@Suite("JSON by pieces over a socket", .timeLimit(.minutes(10)), .paced)
struct ElementStreamTests {
    private let wire: Wire

    init() throws {
        wire = try Wire()
    }

    @Test("a sequence with a damaged text: fail, skip, or use the bytes")
    func policies() async throws {
        wire.server.on(
            .get,
            "/s",
            .pieces("application/json-seq", "\u{1E}{\"word\":\"a\"}\n\u{1E}{\"wo\n\u{1E}{\"word\":\"b\"}\n")
        )
        let chain: Chain<Void, ElementStream<Word>> = wire.get("/s").jsonSequence(reading: .json)
        let error = await #expect(throws: NetworkError.self) { try await chain.process().collect() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.hasPrefix("element 1 at byte 15: ") == true, "\(error?.message ?? "")")
        let skipping = try await chain.process().skippingDamaged()
        #expect(try await skipping.collect() == [Word(word: "a"), Word(word: "b")])
        #expect(skipping.skipped == 1)
        let raw = try await chain.process().raw.collect()
        #expect(
            raw.map { String(decoding: $0.bytes, as: UTF8.self) } == ["{\"word\":\"a\"}", "{\"wo", "{\"word\":\"b\"}"]
        )
    }

    @Test("the elements of an array, and what surrounds it")
    func elements() async throws {
        wire.server.on(
            .post,
            "/a",
            .pieces("application/json", "{\"data\":{\"items\":[{\"word\":\"a\"},", "{\"word\":\"b\"}]},\"next\":\"n\"}")
        )
        let chain: Chain<Word, ElementStream<Word>> = wire.post("/a").elements(
            at: "data.items",
            sending: .json,
            reading: .json
        )
        let stream = try await chain.process(Word(word: "q"))
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
            let error = await #expect(throws: NetworkError.self) {
                try await (isSkipping ? stream.skippingDamaged() : stream).collect()
            }
            #expect(error?.code == .connectionLost)
            #expect((error?.cause as? StreamError)?.code == .cut)
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
        let chain: Chain<Void, ElementStream<String>> = wire.get("/a").elements(
            at: "",
            options: .init(limit: 1 << 20),
            reading: .json
        )
        #expect(await failure { _ = try await chain.process().collect() }?.code == .responseTooLarge)
        try await wire.server.waitForDisconnect(of: 0)
    }

    @Test("parts come as models with their fields")
    func parts() async throws {
        let text =
            "---\r\nContent-Type: application/json\r\nX: 1\r\n\r\n{\"word\":\"a\"}\r\n---\r\n\r\n{\"word\":\"b\"}\r\n-----\r\n"
        wire.server.on(.post, "/p", .pieces("multipart/mixed; boundary=\"-\"", text))
        let chain: Chain<Word, PartStream<Word>> = wire.post("/p").parts(sending: .json, reading: .json)
        let parts = try await chain.process(Word(word: "q")).collect()
        #expect(parts.map(\.model) == [Word(word: "a"), Word(word: "b")])
        #expect(parts.map { $0.headers["X"] } == ["1", nil])
    }

    @Test("a body that is not multipart, is truncated, or has a part beyond the limit is an error")
    func partFaults() async throws {
        wire.server.on(.get, "/json", .json("{}"))
        wire.server.on(.get, "/cut", .pieces("multipart/mixed; boundary=b", "--b\r\n\r\n{\"word\":\"a\"}\r\n"))
        wire.server.on(
            .get,
            "/long",
            .pieces("multipart/mixed; boundary=b", "--b\r\n\r\n\"" + String(repeating: "x", count: 100))
        )
        let codes: [(String, NetworkError.Code)] = [
            ("/json", .decodingFailed), ("/cut", .connectionLost), ("/long", .responseTooLarge),
        ]
        for (path, code) in codes {
            let chain: Chain<Void, PartStream<Word>> = wire.get(path).parts(.init(limit: 50), reading: .json)
            #expect(await failure { _ = try await chain.process().collect() }?.code == code)
        }
    }
}
