import CoreNetKitOutbox
import CoreNetKitReachability
import CoreNetKitSockets
import CoreNetKitStreams
import TestSupport

@Suite("Reachability", .timeLimit(.minutes(10)), .paced)
struct ReachabilityTests {
    private let network = Reachability.Fake()
    private let clock = ManualClock()

    @Test("is reported at once, and at each change; an equal state is no news")
    func updates() async {
        var updates = network.reachability.updates.makeAsyncIterator()
        #expect(await updates.next() == true)
        network.set(isReachable: true)
        network.set(isReachable: false)
        #expect(await updates.next() == false)
        #expect(!network.reachability.isReachable)
        network.set(isReachable: true)
        #expect(await updates.next() == true)
        #expect(network.reachability.problem == nil)
    }

    // MARK: - Waits

    /// A wait of 30 s that has begun.
    private func wait(asked: Duration = .zero, random: Double = 0.5) async throws -> Task<Void, any Error> {
        let parts = Client().reconnects(with: network.reachability).configuration.parts
        let policy = try #require(parts.policy(NetworkReturn.self))
        let clock = clock
        let task = Task {
            try await policy.sleep(until: .seconds(30), earliest: asked, on: CallClock(clock), random: random)
        }
        try await clock.waitForSleepers(1)
        return task
    }

    private func comeBack() { for isReachable in [false, true] { network.set(isReachable: isReachable) } }

    /// Calls whose waits the network's return ends.
    private var client: Client { Client(clock: CallClock(clock), seed: 1).reconnects(with: network.reachability) }

    /// The network comes back, and the wait ends within a second.
    private func returnInASecond() async {
        comeBack()
        await until { (clock.sleepers.first?.offset ?? .seconds(99)) <= .seconds(1) }
        clock.advance(by: .seconds(1))
    }

    @Test(
        "a wait ends within a second of the network's return, at a random time; never later than without it, and not before the end that a server requested",
        arguments: [(5, 0.0, 0, nil), (5, 0.25, 0, nil), (5, 0.999, 0, nil), (0, 0.5, 20, 20), (29.5, 0.999, 0, 30)]
            as [(Double, Double, Int, Int?)]
    )
    func returns(after outage: Double, random: Double, asked: Int, end: Int?) async throws {
        let task = try await wait(asked: .seconds(asked), random: random)
        clock.advance(by: .seconds(outage))
        comeBack()
        let offset = end.map { .seconds($0) } ?? .seconds(outage) + .seconds(1) * random
        let end = ManualClock.Instant(offset: offset)
        if end > clock.now { await until { clock.sleepers == [end] } }
        clock.advance(to: end)
        try await task.value
        #expect(clock.now == end)
    }

    @Test("losing the network ends no wait, nor does a network that is always there")
    func unchanged() async throws {
        let task = try await wait()
        network.set(isReachable: true)
        network.set(isReachable: false)
        for _ in 0..<1_000 { await Task.yield() }
        #expect(clock.sleepers == [ManualClock.Instant(offset: .seconds(30))])
        clock.advance(by: .seconds(30))
        try await task.value
    }

    @Test("a cancelled wait ends as cancelled")
    func cancelled() async throws {
        let task = try await wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers.isEmpty)
    }

    // MARK: - Who listens

    @Test("a stream of events connects when the network is back")
    func events() async throws {
        let server = try LoopbackServer()
        func page(_ text: String) -> LoopbackResponse {
            LoopbackResponse(headers: ["Content-Type": "text/event-stream"], body: .text(text))
        }
        server.on(.get, "/e", page("data: a\n\n"), page("data: b\n\n"), .status(204))
        var reconnection = EventReconnection.standard
        (reconnection.initial, reconnection.floor) = (.seconds(20), .seconds(10))
        let stream = try await UrlChainsBuilder<URL>(client: client).route(.get, server.url("/e")).events().process()
            .reconnect(reconnection)
        let reader = Task {
            var all: [String] = []
            for try await event in stream { all.append(event.model.data) }
            return all
        }
        for number in 1...2 {
            await until { if case .waiting = stream.state { !clock.sleepers.isEmpty } else { false } }
            let end = clock.now.advanced(by: .seconds(1))
            #expect(clock.sleepers.allSatisfy { $0 > end })
            comeBack()
            await until { clock.sleepers.contains { $0 <= end } }
            clock.advance(to: end)
            await until { server.requests.count == number + 1 }
        }
        #expect(try await reader.value == ["a", "b"])
        #expect(clock.now.offset == .seconds(2))
    }

    @Test("a socket connects when the network is back")
    func socket() async throws {
        let mock = MockTransport(clock: clock)
        mock.on(.get, "/socket", .socket { peer in try await peer.expect(text: "never") })
        mock.on(.get, "/socket", times: 1, .socket { peer in peer.drop() })
        var options = SocketOptions()
        options.keepAlive = nil
        options.reconnection = .standard
        options.reconnection.floor = .seconds(10)
        options.reconnection.initial = .seconds(20)
        let chain: Chain<Void, Socket<String, String>> = UrlChainsBuilder<String>(client: client.set(transport: mock))
            .route(.get, "wss://localhost/socket").socket(reading: .text, writing: .text, options)
        let socket = try await chain.process()
        await until { if case .waiting = socket.state { !clock.sleepers.isEmpty } else { false } }
        await returnInASecond()
        await until { socket.state == .open }
        #expect(clock.now.offset == .seconds(1) && socket.statistics.reconnects == 1)
        await socket.close()
    }

    @Test("an outbox delivers when the network is back")
    func outbox() async throws {
        let folder = try TemporaryFolder()
        let (times, clock) = (Recorder<Duration>(), clock)
        let transport = ClosureTransport { request in
            times.record(clock.now.offset)
            if times.values.count == 1 { throw TransportError(.cannotConnect, phase: .connect, message: "refused") }
            return .init(status: 204, url: request.url)
        }
        var options = Outbox.Options()
        options.firstBackoff = .seconds(40)
        options.pollInterval = nil
        let outbox = try Outbox(at: folder["box"], options: options, clock: clock, seed: 1)
        let client = client.set(transport: transport).outbox(outbox)
        let chain: Chain<Void, OutboxReceipt> = UrlChainsBuilder<String>(client: client)
            .route(.put, "https://localhost/x").enqueue()
        let receipt = try await chain.process()
        let run = Task { try await outbox.run(with: client) }
        await until { times.values.count == 1 && !clock.sleepers.isEmpty }
        await returnInASecond()
        #expect(try await receipt.delivery().entry.state == .delivered(status: 204))
        #expect(times.values == [.zero, .seconds(1)])
        await run.cancelAndWait()
    }
}
