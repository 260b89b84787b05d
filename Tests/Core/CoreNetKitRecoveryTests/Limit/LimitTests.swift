import TestSupport

@Suite("Places for calls", .timeLimit(.minutes(10)), .paced)
struct LimitTests {
    /// A wire that holds every request until it is released, and counts how many it holds.
    final class Held: Sendable {
        let gate = Gate()
        let load = Locked((now: [String: Int](), most: [String: Int](), order: [String]()))
        let wire: Wire

        init() {
            let (gate, load) = (gate, load)
            wire = Wire { _, request in
                let host = request.url.host ?? ""
                load.withLock { load in
                    load.order.append(request.url.path)
                    for key in [host, "all"] {
                        load.now[key, default: 0] += 1
                        load.most[key] = max(load.most[key] ?? 0, load.now[key] ?? 0)
                    }
                }
                defer { load.withLock { for key in [host, "all"] { $0.now[key, default: 0] -= 1 } } }
                try await gate.pass()
                return .init(status: 200, url: request.url)
            }
        }

        func call(_ url: String, _ limiter: ConcurrencyLimiter, deadline: Duration? = nil) -> Task<Void, any Error> {
            wire.chain(.get, url) { $0.limit(limiter).set(deadline: deadline) }.start()
        }
    }

    private let held = Held()

    @Test("no more calls than the limits run, per host and in total, and all get through")
    func bounds() async throws {
        let limiter = ConcurrencyLimiter(total: 5, perHost: 2)
        let calls = (0..<60).map { held.call("http://h\($0 % 4)/", limiter) }
        await held.gate.arrived(5)
        held.gate.open()
        for call in calls { try await call.value }
        let most = held.load.withLock { $0.most }
        #expect(most["all"] == 5)
        #expect((0..<4).allSatisfy { (1...2).contains(most["h\($0)"] ?? 0) })
        #expect(limiter.callsInFlight == 0)
        #expect(held.wire.count == 60)
    }

    @Test("the first to wait goes first, and a full host does not block another")
    func fairness() async throws {
        let limiter = ConcurrencyLimiter(total: 2, perHost: 1)
        var calls = [held.call("http://a/1", limiter)]
        await held.gate.arrived(1)
        for (index, url) in ["http://a/2", "http://a/3", "http://a/4"].enumerated() {
            calls.append(held.call(url, limiter))
            await until { limiter.callsWaiting == index + 1 }
        }
        calls.append(held.call("http://b/1", limiter))
        await held.gate.arrived(2)
        held.gate.open()
        for call in calls { try await call.value }
        #expect(held.load.withLock { $0.order }.filter { $0 != "/1" } == ["/2", "/3", "/4"])
    }

    @Test("a call cancelled while it waits leaves its turn to the next", arguments: 0...2)
    func cancelled(index: Int) async throws {
        let limiter = ConcurrencyLimiter(total: 1, perHost: 1)
        let first = held.call("http://a/", limiter)
        await held.gate.arrived(1)
        let others = (0..<3).map { _ in held.call("http://a/", limiter) }
        await until { limiter.callsWaiting == 3 }
        await cancel(others[index])
        held.gate.open()
        try await first.value
        for (position, call) in others.enumerated() where position != index { try await call.value }
        #expect(limiter.callsInFlight == 0)
        #expect(held.wire.count == 3)
    }

    @Test("the wait counts towards the deadline")
    func deadline() async throws {
        let limiter = ConcurrencyLimiter(total: 1)
        let first = held.call("http://a/", limiter)
        await held.gate.arrived(1)
        let late = held.call("http://a/", limiter, deadline: .seconds(3))
        try await held.wire.clock.advanceToNextSleeper()
        let error = await failure { try await late.value }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.phase == .queue)
        #expect(limiter.callsWaiting == 0)
        held.gate.open()
        try await first.value
        #expect(held.wire.count == 1)
    }

    @Test("a streamed response keeps its place until it has ended, or is released")
    func streams() async throws {
        let wire = Wire { _, request in
            let left = Locked(2)
            let stream = ResponseStream(
                next: {
                    left.withLock { left in
                        left -= 1
                        return left >= 0 ? Data([1]) : nil
                    }
                },
                cancel: {}
            )
            return .init(status: 200, body: .stream(stream), url: request.url)
        }
        let limiter = ConcurrencyLimiter(total: 1)
        let chain = UrlChainsBuilder<String>(client: wire.client()).limit(limiter).route(.get, host).loadStream()
        var stream: ResponseStream? = try await chain.process()
        #expect(limiter.callsInFlight == 1)
        for try await _ in try #require(stream) {}
        #expect(limiter.callsInFlight == 0)
        stream = try await chain.process()
        #expect(limiter.callsInFlight == 1)
        _ = stream
        stream = nil
        #expect(limiter.callsInFlight == 0)
    }
}

@Suite("A request rate", .timeLimit(.minutes(10)), .paced)
struct RateTests {
    private func times(
        _ limiter: RateLimiter,
        calls: Int,
        waiting: Int = 0,
        deadline: Duration? = nil
    ) async throws -> ([Duration], [NetworkError?]) {
        let wire = Wire(statuses: [200])
        let chain = wire.chain { $0.rate(limiter).set(deadline: deadline) }
        let refused = Recorder<NetworkError>()
        let tasks = (0..<calls).map { _ in
            Task {
                let error = await chain.failure
                if let error { refused.record(error) }
                return error
            }
        }
        let settled = calls - waiting
        await until {
            wire.count + refused.values.count == settled && limiter.callsWaiting == waiting
        }
        for index in 0..<waiting {
            await until { wire.count + refused.values.count == settled + index }
            try await wire.clock.advanceToNextSleeper()
        }
        var errors: [NetworkError?] = []
        for task in tasks { errors.append(await task.value) }
        return (wire.times.sorted(), errors)
    }

    @Test("requests are evenly spaced, or as many at once as the burst")
    func spacing() async throws {
        let even = try await times(RateLimiter(10), calls: 5, waiting: 4)
        #expect(even.0 == [.zero, .milliseconds(100), .milliseconds(200), .milliseconds(300), .milliseconds(400)])
        let burst = try await times(RateLimiter(10, burst: 3), calls: 5, waiting: 2)
        #expect(burst.0 == [.zero, .zero, .zero, .milliseconds(100), .milliseconds(200)])
    }

    @Test("a request that would be too late fails at once and takes no turn")
    func deadline() async throws {
        let (times, errors) = try await times(RateLimiter(1), calls: 5, waiting: 2, deadline: .milliseconds(2500))
        #expect(times == [.zero, .seconds(1), .seconds(2)])
        let failures = errors.compactMap(\.self)
        #expect(failures.map(\.code) == [.rateLimited, .rateLimited])
        #expect(failures.allSatisfy { $0.retryAfter == .seconds(3) })
    }

    @Test("attempts count: a retry waits for its turn")
    func attempts() async throws {
        let wire = Wire(statuses: [503, 200])
        let chain = wire.chain { $0.retry(RetryPolicy(decide: { _, _ in .zero })).rate(RateLimiter(1)) }
        try await wire.clock.running { try await chain.process() }
        #expect(wire.times == [.zero, .seconds(1)])
    }

    @Test(
        "turns of cancelled calls move up: those behind wait as if they had not been there",
        arguments: [(1, [0]), (20, Array(0..<20)), (4, [0]), (4, [1]), (4, [2])]
    )
    func cancelled(count: Int, leaving: [Int]) async throws {
        let limiter = RateLimiter(1)
        let wire = Wire(statuses: [200])
        let chain = wire.chain { $0.rate(limiter) }
        try await chain.process()
        var waiting: [Task<Void, any Error>] = []
        for number in 1...count {
            waiting.append(chain.start())
            await until { limiter.callsWaiting == number }
        }
        await cancel(leaving.map { waiting[$0] })
        try await wire.clock.running {
            for index in waiting.indices where !leaving.contains(index) { try await waiting[index].value }
            try await chain.process()
        }
        #expect(wire.times == (0...count - leaving.count + 1).map { .seconds($0) })
    }
}
