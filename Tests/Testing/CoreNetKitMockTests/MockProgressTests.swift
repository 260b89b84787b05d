import TestSupport

@Suite("A mock and a monitor of the exchange", .timeLimit(.minutes(10)), .paced)
struct MockProgressTests {
    private static let bodies: [RequestBody] = [
        .bytes(Data(repeating: 1, count: 300)), .stream(length: 300) { Pieces(Data(repeating: 1, count: 300)) },
    ]

    @Test("counts what was sent and received, and ends with the exchange", arguments: [0, 1], [false, true])
    func counts(body: Int, isStreamed: Bool) async throws {
        let mock = MockTransport { $0.on(.post, "/a", .data(Data(repeating: 2, count: 50))) }
        let monitor = ExchangeMonitor()
        var sent = try request(.post, "/a", body: Self.bodies[body], delivery: isStreamed ? .stream : .collect)
        sent.monitor = monitor
        let response = try await mock.send(sent)
        #expect(monitor.state.bytesSent == 300)
        #expect(monitor.state.bytesToSend == 300)
        #expect(monitor.state.isEnded != isStreamed)
        if case .stream(let chunks) = response.body { for try await _ in chunks {} }
        #expect(monitor.state.bytesReceived == 50)
        #expect(monitor.state.bytesExpected == 50)
        #expect(monitor.state.isEnded)
    }

    @Test("ends with a failure, and starts again when the request is resent")
    func again() async throws {
        let mock = MockTransport { $0.on(.get, "/a", .failure(.connectionLost), .data(Data(repeating: 2, count: 50))) }
        let monitor = ExchangeMonitor()
        var sent = try request(.get, "/a")
        sent.monitor = monitor
        await #expect(throws: TransportError.self) { try await mock.send(sent) }
        #expect(monitor.state.isEnded)
        _ = try await mock.send(sent)
        #expect(monitor.state.bytesReceived == 50)
        #expect(monitor.state.isEnded)
    }
}
