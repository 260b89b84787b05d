import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire
import TestPace

@Suite("The WebSocket handshake", .timeLimit(.minutes(10)), .paced)
struct SocketHandshakeTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    @Test("responds to a key as RFC 6455 shows it")
    func accept() { #expect(SocketHandshake.accept(Self.key) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") }

    @Test(
        "uses SHA-1 as FIPS 180-4 defines it",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        ]
    )
    func digest(_ text: String, _ expected: String) {
        let hex = SHA1.digest(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(hex == expected)
    }

    @Test("has a key of 16 bytes, a different one each time")
    func keys() {
        let keys = (0..<100).map { _ in SocketHandshake.key() }
        #expect(keys.allSatisfy { Data(base64Encoded: $0)?.count == 16 })
        #expect(Set(keys).count == 100)
    }

    private func fields(_ changes: [(String, String?)] = []) -> Headers {
        var fields = SocketHandshake.response(key: Self.key, selected: nil, deflate: nil)
        for (name, value) in changes { fields[name] = value }
        return fields
    }

    private func check(_ fields: Headers, _ offer: SocketHandshake.Offer = .init()) throws -> SocketHandshake.Agreement
    {
        try SocketHandshake.check(fields, key: Self.key, offer: offer)
    }

    @Test("accepts names in any case, and lists with other elements")
    func lenient() throws {
        _ = try check(fields([("Upgrade", "WebSocket"), ("Connection", "keep-alive, upgrade")]))
        let offer = SocketHandshake.Offer(protocols: ["a", "b"])
        #expect(try check(fields([("Sec-WebSocket-Protocol", "b")]), offer).selectedProtocol == "b")
        #expect(try check(fields(), offer).selectedProtocol == nil)
    }

    static let refused: [(String, String?)] = [
        ("Upgrade", nil), ("Upgrade", "h2c"), ("Connection", nil), ("Connection", "close"),
        ("Sec-WebSocket-Accept", nil), ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOO="),
        ("Sec-WebSocket-Protocol", "c"), ("Sec-WebSocket-Protocol", "A"), ("Sec-WebSocket-Protocol", "a, b"),
        ("Sec-WebSocket-Extensions", "x-other"), ("Sec-WebSocket-Extensions", "permessage-deflate; what"),
        ("Sec-WebSocket-Extensions", "permessage-deflate; server_max_window_bits=16"),
        ("Sec-WebSocket-Extensions", "permessage-deflate; server_max_window_bits=08"),
        ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits"),
        ("Sec-WebSocket-Extensions", "permessage-deflate, permessage-deflate"),
        ("Sec-WebSocket-Extensions", "permessage-deflate; server_no_context_takeover=1"),
        ("Sec-WebSocket-Extensions", "permessage-deflate; client_no_context_takeover; client_no_context_takeover"),
        ("Sec-WebSocket-Extensions", "permessage-deflate; ="), ("Sec-WebSocket-Extensions", "\""),
    ]

    @Test("refuses what was not offered, is missing or belongs to another key", arguments: refused)
    func refuses(_ name: String, _ value: String?) throws {
        let offer = SocketHandshake.Offer(protocols: ["a", "b"], deflate: (12, false))
        #expect(throws: SocketHandshake.Refusal.self) { try check(fields([(name, value)]), offer) }
    }

    @Test("refuses compression that was not offered")
    func unasked() throws {
        let fields = fields([("Sec-WebSocket-Extensions", "permessage-deflate")])
        #expect(throws: SocketHandshake.Refusal.self) { try check(fields) }
        #expect(try check(fields, .init(deflate: (15, true))).deflate == DeflateAgreement())
    }

    @Test("agrees on windows and context, as both ends say")
    func agreement() throws {
        let offer = SocketHandshake.Offer(deflate: (12, false))
        let text = try #require(offer.extensions)
        let offers = try #require(SocketExtension.list(text))
        #expect(offers.count == 2)
        let server = try #require(DeflateAgreement(offer: offers[0].parameters))
        #expect(server.serverBits == 12 && !server.serverKeeps && !server.clientKeeps && server.clientBits == 15)
        let response = SocketHandshake.response(key: Self.key, selected: nil, deflate: server)
        var expected = server
        expected.clientBits = 12
        #expect(try check(response, offer).deflate == expected)
        let plain = try #require(DeflateAgreement(offer: offers[1].parameters))
        #expect(plain == DeflateAgreement())
    }

    @Test(
        "reads lists of extensions with parameters and quotes",
        arguments: [
            ("a", "a"), ("a; b=1, c", "a; b=1|c"), ("a;b=\"x\" , ,c;d", "a; b=x|c; d"), ("", ""),
            ("a;b=\"x,y\"", "nil"), ("a b", "nil"), (";a", "nil"), ("a; b=", "nil"), ("a;b=\"\"", "nil"),
        ]
    )
    func extensions(_ text: String, _ expected: String) {
        let list = SocketExtension.list(text)
        #expect((list.map { $0.map(\.text).joined(separator: "|") } ?? "nil") == expected)
    }
}
