import CoreNetKitEndpoints
import TestSupport

/// Servers whose behaviour a test changes while calls run.
private final class Servers: Sendable {
    enum Mood: Sendable {
        case fine, failing, slow, silent, away
    }

    let servers: [LoopbackServer]
    let moods: Locked<[Mood]>
    let api: Endpoints
    let clock = ManualClock()
    private let callClock: CallClock

    init(_ count: Int, _ strategy: Endpoints.Strategy) throws {
        callClock = CallClock(clock)
        let moods = Locked(Array(repeating: Mood.fine, count: count))
        self.moods = moods
        servers = try (0..<count).map { number in
            let server = try LoopbackServer { _ in
                switch moods.withLock({ $0[number] }) {
                case .fine, .away: LoopbackResponse.text("\(number)")
                case .failing: .status(500)
                case .slow: .text("\(number)").delayed(by: .milliseconds(60))
                case .silent: .text("\(number)").fault(.stall(.beforeStatus))
                }
            }
            server.onConnect { _ in moods.withLock { $0[number] } == .away ? .reset : .accept }
            return server
        }
        api = Endpoints("http://api.test", servers.map { "http://127.0.0.1:\($0.port)" }, choosing: strategy)
    }

    func set(_ mood: Mood, _ numbers: Int...) {
        moods.withLock { moods in for number in numbers { moods[number] = mood } }
    }

    /// Retries whose waits pass at once, with the health of members on the same clock.
    var client: Client { Client(clock: callClock).endpoints(api) }

    func get(_ client: Client) async throws -> String {
        try await UrlChainsBuilder<String>(client: client).route(.get, "http://api.test/").set(deadline: nil).build()
            .call()
    }

    /// Calls one after another; whoever sleeps before a retry is woken.
    func calls(
        _ count: Int,
        retries: Bool = true,
        _ change: (Client) -> Client = { $0.retryBudget(RetryBudget(ratio: 1, floor: 1_000)) }
    ) async throws -> [String] {
        let client = change(retries ? client.retry(.standard) : client)
        return try await clock.passing {
            var replies: [String] = []
            for _ in 0..<count { replies.append(try await get(client)) }
            return replies
        }
    }

    var requests: [Int] { servers.map { $0.requests.count } }
    var ejected: [Int] { api.state.indices.filter { api.state[$0].ejectedUntil != nil } }
}

@Suite("Endpoints over sockets", .timeLimit(.minutes(10)), .paced)
struct EndpointServerTests {
    static let strategies: [Endpoints.Strategy] = [.ordered(sticky: .zero), .roundRobin, .leastLoaded]

    @Test(
        "a server that is killed fails no GET, costs no wait, no retry, and is ejected",
        arguments: [2, 5],
        strategies
    )
    func killed(_ count: Int, _ strategy: Endpoints.Strategy) async throws {
        let servers = try Servers(count, strategy)
        _ = try await servers.calls(10, retries: false)
        servers.servers[0].stop()
        let start = servers.clock.now
        let replies = try await servers.calls(100, retries: false)
        #expect(!replies.contains("0") && servers.clock.now == start)
        if strategy != .leastLoaded { #expect(servers.ejected == [0]) }
        #expect(servers.api.state.allSatisfy { $0.inFlight == 0 })
    }

    @Test("a server that answers 500 fails no GET with retries", arguments: [2, 5], strategies)
    func failing(_ count: Int, _ strategy: Endpoints.Strategy) async throws {
        let servers = try Servers(count, strategy)
        servers.set(.failing, 0)
        let replies = try await servers.calls(60)
        #expect(!replies.contains("0"))
        if count > 2 || strategy != .leastLoaded { #expect(servers.requests[0] < 60) }
    }

    @Test("a silent server delays the three requests that find out, and no more", arguments: [2, 5])
    func silent(_ count: Int) async throws {
        let servers = try Servers(count, .roundRobin)
        servers.set(.silent, 0)
        let replies = try await servers.calls(40) { $0.set(timeouts: Timeouts(firstByte: .milliseconds(200))) }
        #expect(!replies.contains("0"))
        // A wait before a retry lets time pass, so that a probe may be due.
        #expect((3...5).contains(servers.requests[0]), "\(servers.requests)")
    }

    @Test("all down and back: who responds again is used, one probe returns the rest", arguments: [2, 5], strategies)
    func allDown(_ count: Int, _ strategy: Endpoints.Strategy) async throws {
        let servers = try Servers(count, strategy)
        for number in 0..<count { servers.set(.away, number) }
        for _ in 0..<10 { await #expect(throws: NetworkError.self) { try await servers.calls(1) } }
        #expect(servers.ejected.count <= count / 2)
        for number in 0..<count { servers.set(.fine, number) }
        _ = try await servers.calls(1)
        servers.clock.advance(by: .seconds(400))
        let before = servers.requests
        _ = try await servers.calls(20 * count)
        #expect(strategy == .ordered(sticky: .zero) || servers.ejected.isEmpty)
        let served = zip(servers.requests, before).map { $0 - $1 }
        #expect(served[0] > 0 && (strategy != .roundRobin || served.allSatisfy { $0 > 0 }), "\(served)")
    }

    @Test("a flapping server fails no GET", arguments: strategies)
    func flapping(_ strategy: Endpoints.Strategy) async throws {
        let servers = try Servers(2, strategy)
        for round in 0..<20 {
            servers.set(round % 2 == 0 ? .failing : .fine, 0)
            _ = try await servers.calls(5)
            servers.clock.advance(by: .seconds(7))
        }
        #expect(servers.api.state.allSatisfy { $0.inFlight == 0 })
    }

    @Test("a server that owes its first response gets no other request while one of them responds")
    func owing() async throws {
        let servers = try Servers(2, .leastLoaded)
        servers.set(.silent, 0)
        let client = Client().endpoints(servers.api)
        var waiting: [Task<String, any Error>] = []
        for count in 1...20 {
            let before = servers.requests[1]
            let call = Task { try await servers.get(client) }
            await until { servers.requests.reduce(0, +) == count }
            if servers.requests[1] > before { _ = try await call.value } else { waiting.append(call) }
        }
        #expect(servers.requests == [1, 19])
        for call in waiting { call.cancel() }
    }

    @Test("calls that are cancelled at any moment leave nothing in flight", arguments: strategies)
    func cancelled(_ strategy: Endpoints.Strategy) async throws {
        let servers = try Servers(5, strategy)
        servers.set(.failing, 1)
        servers.set(.slow, 2)
        servers.set(.away, 3)
        let client = Client().retry(.init(backoff: .exponential(base: .milliseconds(2)))).hedge(after: .milliseconds(5))
            .endpoints(servers.api)
        var dice = SplitMix64(seed: TestRounds.seed(1))
        for _ in 0..<TestRounds.count(60) {
            let call = Task { try await servers.get(client) }
            for _ in 0..<Int.random(in: 0..<200, using: &dice) { await Task.yield() }
            if Bool.random(using: &dice) { call.cancel() }
            _ = await call.result
        }
        await until { servers.api.state.allSatisfy { $0.inFlight == 0 } }
        #expect(servers.api.state.map(\.inFlight) == [0, 0, 0, 0, 0])
    }

    @Test("another list of members is followed without a failed call")
    func changes() async throws {
        let servers = try Servers(2, .roundRobin)
        let (source, continuation) = AsyncStream.makeStream(of: [Endpoints.Member].self)
        let api = Endpoints("http://api.test", from: source, choosing: .roundRobin)
        let client = Client().endpoints(api)
        for round in 0..<6 {
            let number = round % 2
            continuation.yield(["http://127.0.0.1:\(servers.servers[number].port)"])
            await until { api.state.map(\.origin.port) == [servers.servers[number].port] }
            #expect(try await servers.get(client) == "\(number)")
        }
    }
}
