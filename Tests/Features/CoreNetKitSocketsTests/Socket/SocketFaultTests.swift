import CoreNetKitCache
import CoreNetKitCookies
import CoreNetKitPeer
import CoreNetKitSockets
import CoreNetKitWire
import TestSupport

@Suite("Sockets: faults of the other side", .timeLimit(.minutes(10)), .paced)
struct SocketFaultTests {
    /// Texts, and behind them a frame of a kind that does not exist, in one piece.
    private static func faulty(_ texts: String...) -> Data {
        Data(texts.map { SocketFrame(.text, Data($0.utf8)).bytes(mask: nil) }.joined()) + [0x83, 0x00]
    }

    /// A server that makes a fault behind two messages, and expects replies; then it tells the code of the close.
    private func line(replies: [String]) -> (Line, ReaderQueue<UInt16>) {
        let codes = ReaderQueue<UInt16>()
        let line = Line { peer in
            defer { codes.end() }
            peer.send(bytes: Self.faulty("a", "b"))
            for reply in replies { try await peer.expect(text: reply) }
            codes.add(try await peer.expectClose())
        }
        return (line, codes)
    }

    @Test("are told behind the messages before them, which can be replied to", arguments: [1, 2, 16])
    func replies(inbox: Int) async throws {
        let (line, codes) = line(replies: ["a", "b"])
        let socket = try await line.texts { $0.inbox = inbox }.process()
        await expectFailure(.invalidResponse, .broken) { for try await text in socket { try await socket.send(text) } }
        #expect(try await codes.next() == 1002)
    }

    @Test("are told to the other side no later than the timeout of a close, whatever the reader does")
    func timeout() async throws {
        let (line, codes) = line(replies: [])
        let socket = try await line.texts { ($0.keepAlive, $0.closeTimeout) = (nil, .seconds(3)) }.process()
        var messages = socket.makeAsyncIterator()
        #expect(try await messages.next() == "a")
        try await line.clock.waitForSleepers(1)
        #expect(socket.state == .open)
        line.clock.advance(by: .seconds(3))
        #expect(try await codes.next() == 1002)
        #expect(try await messages.next() == "b")
        await expectFailure(.invalidResponse) { _ = try await messages.next() }
    }

    @Test("do not hold up a close of this side")
    func closed() async throws {
        let (line, codes) = line(replies: [])
        let socket = try await line.texts { $0.keepAlive = nil }.process()
        await until { socket.statistics.messagesReceived == 2 }
        await socket.close()
        #expect(try await codes.next() != nil)
    }
}

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
        let client = line.client.cookies(CookieJar()).retry(.standard).rate(1, per: .seconds(1), burst: 4)
            .limit(ConcurrencyLimiter(total: 1)).cache(ResponseCache()).coalesce()
            .hedge(after: .milliseconds(10))
        let chain = line.builder(client).raw { $0.keepAlive = nil }
        func cookies() -> [String?] { line.mock.requests.map { $0.headers["Cookie"] } }

        let first = try await line.clock.passing { try await chain.process() }
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
        #expect(try await line.clock.passing { try await text.process() } == "plain")
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
