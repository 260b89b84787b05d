import CoreNetKit
import CoreNetKitCache
import CoreNetKitCookies
import CoreNetKitLoopback
import CoreNetKitMock
import CoreNetKitSockets
import Foundation
import TestPace
import Testing

@Suite("Sockets: what the handshake uses of a client", .timeLimit(.minutes(10)), .paced)
struct HandshakePolicyTests {
    private static let open = MockResponse.socket { peer in _ = try await peer.expectClose() }

    @Test("cookies, retry until the 101 and rate; not limit's place, cache, coalescing or hedging")
    func all() async throws {
        let line = Line(
            .status(503, headers: ["Set-Cookie": "session=7; Path=/"]),
            // Slow: who hedges would send a second one.
            Self.open.delayed(by: .seconds(2)).header("Cache-Control", "max-age=600"),
            Self.open
        )
        line.mock.on(.get, "/plain", .text("plain"))
        let client = line.client.cookies(in: CookieJar()).retry(.standard).rate(1, per: .seconds(1), burst: 4)
            .limit(with: ConcurrencyLimiter(total: 1)).cache(with: ResponseCache()).coalesce()
            .hedge(after: .milliseconds(10))
        let chain = line.builder(client).raw { $0.keepAlive = nil }
        func cookies() -> [String?] { line.mock.requests.map { $0.headers["Cookie"] } }

        let first = try await line.passing { try await chain.process() }
        #expect(cookies() == [nil, "session=7"])
        // A limit of one: neither for the next sockets, nor for a call beside them; equal handshakes stay apart.
        async let secondOpening = chain.process()
        async let thirdOpening = chain.process()
        let (second, third) = try await (secondOpening, thirdOpening)
        #expect(cookies().count == 4)
        #expect([first, second, third].allSatisfy { $0.state == .open })
        let keys = line.mock.requests.compactMap { $0.headers["Sec-WebSocket-Key"] }
        #expect(Set(keys).count == 4)
        let plain = UrlChainsBuilder<String>(client: client).route(.get, "https://localhost/plain")
        let text: Chain<Void, String> = plain.build()
        #expect(try await line.passing { try await text.process() } == "plain")
        for socket in [first, second, third] { await socket.close() }
    }

    @Test("wait for their turn of a rate")
    func rate() async throws {
        let line = Line(Self.open)
        let chain = line.builder(line.client.rate(1, per: .seconds(5))).raw { $0.keepAlive = nil }
        let first = try await chain.process()
        let opening = Task { try await chain.process() }
        try await line.clock.waitForSleepers(1)
        #expect(line.mock.requests.count == 1)
        line.clock.advance(by: .seconds(5))
        let second = try await opening.value
        #expect(line.mock.requests.count == 2)
        for socket in [first, second] { await socket.close() }
    }
}
