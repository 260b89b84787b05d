import CoreNetKitPeer
import CoreNetKitSockets
import TestSupport

@Suite("Sockets", .timeLimit(.minutes(10)), .paced)
struct SocketTests {
    private struct Price: Codable, Equatable, Sendable {
        var name: String
        var cents: Int
    }

    private struct Order: Codable, Equatable, Sendable {
        var subscribe: String
    }

    @Test("open with a handshake through the chain, and carry models in both directions until a close")
    func models() async throws {
        let line = Line { peer in
            try await peer.expect(json: Order(subscribe: "DAX"))
            for cents in 1...3 { peer.send(json: Price(name: "DAX", cents: cents)) }
        }
        let chain: Chain<Void, Socket<Price, Order>> = line.builder(line.client.add(headers: ["X-App": "1"]))
            .socket(reading: .json, writing: .json)
        let socket = try await chain.process()
        #expect(socket.state == .open)
        try await socket.send(Order(subscribe: "DAX"))
        let prices = try await socket.collect()
        #expect(prices == (1...3).map { Price(name: "DAX", cents: $0) })
        #expect(socket.state == .closed(SocketClose(.normal, isFromPeer: true)))
        let request = try #require(line.mock.requests.first)
        #expect(request.url.scheme == "https" && request.headers["X-App"] == "1")
        #expect(request.headers["Sec-WebSocket-Version"] == "13" && request.headers["Upgrade"] == "websocket")
        #expect(Data(base64Encoded: request.headers["Sec-WebSocket-Key"] ?? "")?.count == 16)
        let statistics = socket.statistics
        #expect(statistics.messagesSent == 1 && statistics.messagesReceived == 3 && statistics.reconnects == 0)
        #expect(statistics.bytesSent > 0 && statistics.bytesReceived > statistics.bytesSent)
    }

    @Test("refuse a body of their handshake before it is sent")
    func body() async throws {
        let line = Line { _ in }
        let client = line.client.insert(at: .headers) { next in
            AnyNode("Body", before: next) { request, _ in request.body = .bytes(Data("x".utf8)) }
        }
        let (error, _) = await socketFailure { _ = try await line.builder(client).texts().call() }
        #expect(error?.code == .invalidChain && error?.message.contains("set(body:)") == true)
        #expect(line.mock.requests.isEmpty)
    }

    @Test(
        "carry texts and bytes as they are, of any size, compressed or not",
        arguments: Stage.Way.allCases,
        [nil, 512, 0] as [Int?]
    )
    func raw(_ way: Stage.Way, above threshold: Int?) async throws {
        let stage = try Stage(way, Stage.echo)
        let socket = try await stage.builder.raw { $0.compression = threshold.map { .deflate(above: $0) } }.process()
        try await socket.expectEcho([0, 1, 125, 126, 65535, 65536, 300_000])
        #expect(try await socket.close(4000, "done") == SocketClose(4000))
        #expect(socket.statistics.messagesReceived == 14)
        // Texts and noise are as large; compression takes the texts.
        #expect((socket.statistics.bytesSent < 600_000) == (threshold != nil))
    }

    @Test("select a protocol of those that were offered")
    func protocols() async throws {
        let line = Line(.socket(protocols: ["b", "a"]) { try await $0.expectClose() })
        let socket = try await line.texts { $0.protocols = ["a", "b"] }.process()
        #expect(socket.selectedProtocol == "b")
        #expect(line.mock.requests.first?.headers["Sec-WebSocket-Protocol"] == "a, b")
        await socket.close()
        let none = try await line.texts().process()
        #expect(none.selectedProtocol == nil)
    }

    @Test(
        "offer no protocol that is no token, for it would be several",
        arguments: ["a, b", "a b", "", "ä", "a\r\nX: 1"]
    )
    func malformedProtocol(_ name: String) async throws {
        let line = Line(.socket(protocols: ["a"]) { try await $0.expectClose() })
        await expectFailure(.invalidRequest) { _ = try await line.texts { $0.protocols = ["a", name] }.process() }
        #expect(line.mock.requests.isEmpty)
    }

    @Test(
        "end without a word for good codes, and with an error for all others; the other side gets its code back",
        arguments: [
            (1000, nil), (1001, nil), (1005, nil), (1002, .reportedByServer), (1008, .reportedByServer),
            (1011, .reportedByServer), (3000, .reportedByServer), (4401, .reportedByServer),
        ] as [(UInt16, NetworkError.Code?)]
    )
    func codes(_ code: UInt16, _ expected: NetworkError.Code?) async throws {
        let replies = ReaderQueue<UInt16>()
        let line = Line { peer in
            peer.send(text: "last")
            peer.close(code, code == 1005 ? "" : "why")
            replies.add(try await peer.expectClose())
        }
        let socket = try await line.texts().process()
        #expect(try await socket.next() == "last")
        let (error, cause) = await socketFailure {
            let end = try await socket.next()
            #expect(end == nil)
        }
        #expect(error?.code == expected)
        let close = SocketClose(.init(rawValue: code), code == 1005 ? "" : "why", isFromPeer: true)
        #expect(cause?.close == (expected == nil ? nil : close))
        #expect(socket.state == .closed(close))
        #expect(try await replies.next() == code)
        #expect(await socketFailure { try await socket.send("late") }.0?.isSafeToResend == true)
    }

    @Test(
        "that break or end without a close give an error that says so, and senders one that says whether a byte left",
        arguments: [true, false]
    )
    func breaks(isOrderly: Bool) async throws {
        let line = Line { peer in if isOrderly { peer.end() } else { peer.drop() } }
        let socket = try await line.texts().process()
        let (error, cause) = await socketFailure { _ = try await socket.collect() }
        #expect(error?.code == .connectionLost && error?.isRetryable == true && error?.phase == .receive)
        #expect(cause?.code == .cut && cause?.close?.code == .abnormal)
        let (late, _) = await socketFailure { try await socket.send("x") }
        #expect(late?.code == .connectionLost && late?.isSafeToResend == true)
    }

    @Test(
        "tell the other side what it broke, and their reader",
        arguments: [
            ([0x83, 0x00], 1002, .invalidResponse), ([0x81, 0x01, 0xFF], 1007, .invalidResponse),
            // With a mask, which only clients send.
            ([0x81, 0x81, 0, 0, 0, 0, 0x61], 1002, .invalidResponse),
            ([0x82, 0x7E, 0x10, 0x01], 1009, .responseTooLarge),
        ] as [([UInt8], UInt16, NetworkError.Code)]
    )
    func faults(_ bytes: [UInt8], _ code: UInt16, _ expected: NetworkError.Code) async throws {
        let codes = ReaderQueue<UInt16>()
        let line = Line { peer in
            peer.send(text: "good")
            peer.send(bytes: Data(bytes))
            codes.add(try await peer.expectClose())
        }
        let socket = try await line.texts { $0.messageLimit = 4096 }.process()
        var messages = socket.makeAsyncIterator()
        #expect(try await messages.next() == "good")
        let (error, cause) = await socketFailure { _ = try await messages.next() }
        #expect(error?.code == expected && cause?.close?.code.rawValue == code)
        #expect(try await codes.next() == code)
    }

    @Test(
        "do not open on a response that is none to their handshake",
        arguments: [
            (.json("{}"), .invalidResponse), (.status(404), .notFound), (.status(426), .unacceptableStatus),
            (.status(401), .unauthorized), (.failure(.cannotConnect), .cannotConnect),
        ] as [(MockResponse, NetworkError.Code)]
    )
    func refused(_ response: MockResponse, _ code: NetworkError.Code) async throws {
        await expectFailure(code) { _ = try await Line(response).texts().process() }
    }

    @Test("need a transport that has connections: others refuse, and nothing is sent")
    func unsupported() async throws {
        let mock = MockTransport(capabilities: [.phaseTimeouts])
        mock.on(.get, "/socket", .socket { _ in })
        let chain = Line(.ok).builder(Client().set(transport: mock)).texts()
        await expectFailure(.unsupported) { _ = try await chain.process() }
        #expect(mock.requests.isEmpty)
    }

    @Test("close when nobody holds them, and when their reader is cancelled")
    func closes() async throws {
        let codes = ReaderQueue<UInt16>()
        let line = Line(.socket { peer in codes.add(try await peer.expectClose()) })
        do {
            let socket = try await line.texts().process()
            #expect(socket.state == .open)
        }
        #expect(try await codes.next() == 1000)
        let socket = try await line.texts().process()
        let reader = Task { try await socket.collect() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(try await codes.next() == 1001)
        try await line.mock.waitUntilIdle()
    }

    @Test("close with what was sent before, and wait for the other side no longer than they may")
    func timeout() async throws {
        let line = Line { peer in
            peer.stopResponding()
            // A close can only come behind this.
            try await peer.expect(text: "first")
            try await peer.expectClose()
            _ = try await peer.next()
        }
        let socket = try await line.texts { $0.keepAlive = nil }.process()
        try await socket.send("first")
        let closing = Task { try await socket.close(4000, "done") }
        try await line.clock.pass(.seconds(4))
        #expect(socket.state == .open)
        line.clock.advance(by: .seconds(1))
        #expect(try await closing.value == SocketClose(.abnormal))
        #expect(try await socket.collect().isEmpty)
    }

    /// Runs a task where it is resumed, before who has resumed it goes on.
    private final class AtOnce: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    @Test("are in their last state when a reader is told of the end", arguments: [1000, 1006, 1011])
    func lastState(_ code: UInt16) async throws {
        let gate = LoopbackGate()
        let line = Line { peer in
            try await gate.wait()
            if code == 1006 { return peer.drop() }
            peer.close(code)
            try await peer.expectClose()
        }
        let socket = try await line.texts().process()
        let reader = Task(executorPreference: AtOnce()) {
            _ = try? await socket.next()
            return socket.state
        }
        gate.open()
        let close = SocketClose(.init(rawValue: code), isFromPeer: code != 1006)
        #expect(await reader.value == .closed(close))
    }
}
