import CoreNetKitHTTP
import CoreNetKitSystem
import TestPace

@Suite("Connections after a 101", .timeLimit(.minutes(10)), .paced)
struct DuplexStreamTests {
    /// What was asked of a connection.
    private typealias Log = Locked<[String]>

    private func stream(_ log: Log, receiving chunks: [String] = []) -> DuplexStream {
        let rest = Locked(chunks)
        return DuplexStream(
            receive: { rest.withLock { $0.isEmpty ? nil : Data($0.removeFirst().utf8) } },
            send: { data in log.withLock { $0.append("send \(String(decoding: data, as: UTF8.self))") } },
            close: { log.withLock { $0.append("close") } }
        )
    }

    @Test("give bytes in order in both directions, and then the end")
    func order() async throws {
        let log = Log([])
        let stream = stream(log, receiving: ["a", "bc"])
        try await stream.send(Data("x".utf8))
        try await stream.send(Data("yz".utf8))
        #expect(try await stream.receive() == Data("a".utf8))
        #expect(try await stream.receive() == Data("bc".utf8))
        #expect(try await stream.receive() == nil)
        #expect(log.value == ["send x", "send yz"])
    }

    @Test("are closed once, by the first call or the release of the last copy")
    func closes() async throws {
        let (called, dropped) = (Log([]), Log([]))
        do {
            let stream = stream(called)
            stream.close()
            stream.close()
        }
        do { _ = stream(dropped) }
        #expect(called.value == ["close"])
        #expect(dropped.value == ["close"])
    }

    @Test("closed here, give the end to a reader, and refuse bytes as never sent")
    func refuses() async throws {
        let log = Log([])
        let stream = stream(log, receiving: ["a"])
        stream.close()
        #expect(try await stream.receive() == nil)
        let error = await #expect(throws: TransportError.self) { try await stream.send(Data("x".utf8)) }
        #expect(error?.code == .connectionLost)
        #expect(error?.isSafeToResend == true)
        #expect(log.value == ["close"])
    }

    @Test("that break while they are closed here give their reader the end, not an error")
    func breaksWhileClosing() async throws {
        let (breaks, breaking) = AsyncStream.makeStream(of: Void.self)
        let stream = DuplexStream(
            receive: {
                for await _ in breaks {}
                throw TransportError(.connectionLost, phase: .receive, message: "cut")
            },
            send: { _ in },
            close: { breaking.finish() }
        )
        async let end = stream.receive()
        stream.close()
        #expect(try await end == nil)
    }

    @Test("have no collectable content")
    func collects() async throws {
        let body = ResponseBody.duplex(stream(Log([]), receiving: ["a"]))
        let error = await #expect(throws: TransportError.self) { try await body.collect() }
        #expect(error?.code == .unsupported)
        let response = TransportResponse(status: 101, body: body, url: URL(fileURLWithPath: "/"))
        #expect(body.data == nil && response.description.hasSuffix("0 fields, a connection"))
    }
}
