import TestSupport

@Suite("A tape that version 0.2 has recorded", .timeLimit(.minutes(10)), .paced)
struct EarlierTapeTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture("tape") }

    private static let long = String(repeating: "long ", count: 3000)
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)

    private static func live() -> MockTransport {
        MockTransport { mock in
            mock.on(.post, "/orders", .json(#"{"order":1}"#), .json(#"{"order":2}"#))
            mock.on(.get, "/long", .text(long))
            mock.on(.get, "/bytes", .data(Data([0, 255, 1]), type: "image/png"))
            mock.on(.get, "/new", .text("new"))
        }
    }

    private func get(_ path: String) -> TransportRequest { TransportRequest(url: url("http://shop.test\(path)")) }

    private var order: TransportRequest {
        TransportRequest(
            method: .post,
            url: url("http://shop.test/orders?token=invented"),
            headers: ["Content-Type": "application/json", "Authorization": "Bearer invented"],
            body: .bytes(Data(#"{"item":1,"password":"invented"}"#.utf8))
        )
    }

    private func expectAll(_ tape: Cassette) async throws {
        for number in 1...2 {
            #expect(try await tape.send(order).body.collect() == Data(#"{"order":\#(number)}"#.utf8))
        }
        #expect(try await tape.send(get("/long")).body.collect() == Data(Self.long.utf8))
        #expect(try await tape.send(get("/bytes")).body.collect() == Data([0, 255, 1]))
    }

    @Test("is played")
    func plays() async throws {
        let tape = try Cassette(fixture["tape.har"])
        try await expectAll(tape)
        #expect(tape.report.isClean, "\(tape.report)")
    }

    @Test("is recorded on, and then played with what was added")
    func continues() async throws {
        do {
            let tape = try Cassette(fixture["tape.har"], mode: .append, live: Self.live())
            #expect(try await tape.send(get("/new")).body.collect() == Data("new".utf8))
            #expect(tape.report.recorded == 1)
        }
        let tape = try Cassette(fixture["tape.har"])
        try await expectAll(tape)
        #expect(try await tape.send(get("/new")).body.collect() == Data("new".utf8))
        #expect(tape.report.isClean, "\(tape.report)")
    }
}
