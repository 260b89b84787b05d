import CoreNetKitFleet
import TestSupport

@Suite("A rate that several processes learn together", .timeLimit(.minutes(10)), .paced)
struct SharedLearningTests {
    /// A server with a quota of 100 requests in 60 s, as periods or a bucket of tokens, and processes with one store.
    final class World: Sendable {
        private struct State: Sendable {
            var left = 100.0
            var (start, seen) = (0.0, 0.0)
            /// When requests were taken and refused.
            var (taken, refused): ([Double], [Double]) = ([], [])
        }

        let clock = ManualClock()
        let events = Recorder<FleetEvent>()
        let stores: [WatchedStore]
        private let limiters: [RateLimiter]
        /// One for all calls: each has a zero of its own.
        private let calls: CallClock
        private let state = Locked(State())
        private let isBucket: Bool

        init(_ processes: Int = 4, isBucket: Bool = false) {
            let (local, events) = (LocalStore(clock: clock), events)
            let stores = (0..<processes).map { _ in WatchedStore(local) }
            self.isBucket = isBucket
            calls = CallClock(clock)
            self.stores = stores
            limiters = stores.map { .learning(named: "api", in: $0, events: { events.record($0) }) }
        }

        var taken: [Double] { state.withLock { $0.taken } }
        var refused: [Double] { state.withLock { $0.refused } }
        var now: Double { clock.now.offset / .seconds(1) }

        func call(_ process: Int, partition: Partition = .anonymous, within limit: Duration? = nil) async throws {
            let transport = ClosureTransport { [self] request in
                try await clock.sleep(until: clock.now.advanced(by: .milliseconds(25)))
                let (status, left, wait) = serve()
                try await clock.sleep(until: clock.now.advanced(by: .milliseconds(25)))
                let reset = (wait * 1000).rounded(.up) / 1000
                let headers: Headers = [
                    "X-RateLimit-Limit": "100", "X-RateLimit-Remaining": "\(left)", "X-RateLimit-Reset": "\(reset)",
                ]
                return .init(status: status, headers: headers, url: request.url)
            }
            let client = Client(transport: transport, clock: calls).rate(limiters[process])
            try await client.set(partition: partition).call(deadline: limit)
        }

        private func serve() -> (status: Int, left: Int, wait: Double) {
            let now = now
            return state.withLock { state in
                if isBucket {
                    state.left = min(100, state.left + (now - state.seen) * 100 / 60)
                } else if now >= state.start + 60 {
                    (state.start, state.left) = (now, 100)
                }
                state.seen = now
                let isTaken = state.left >= 1
                if isTaken {
                    state.left -= 1
                    state.taken.append(now)
                } else {
                    state.refused.append(now)
                }
                let wait = isBucket ? (100 - state.left) * 60 / 100 : state.start + 60 - now
                return (isTaken ? 200 : 429, Int(state.left), wait)
            }
        }

        func send(until end: Double, callers: Int = 5) async throws {
            try await clock.running {
                try await concurrently(callers * self.stores.count) { number in
                    while self.now < end { try? await self.call(number % self.stores.count) }
                }
            }
        }
    }

    @Test(
        "together they stay below the quota, and use it",
        arguments: [(2, 5), (4, 1), (4, 5), (8, 2)],
        [false, true]
    )
    func together(size: (processes: Int, callers: Int), isBucket: Bool) async throws {
        let world = World(size.processes, isBucket: isBucket)
        try await world.send(until: 600, callers: size.callers)
        // Of 900, and none on an idle machine: the test's time may run ahead of who has just been woken.
        #expect(world.refused.count { $0 >= 60 } <= 9, "\(world.refused)")
        #expect(world.taken.count { 60..<600 ~= $0 } >= 855, "\(world.taken.count)")
        #expect(world.events.values.isEmpty)
    }

    @Test("while the store is away each process says so once and goes by the responses alone")
    func away() async throws {
        let world = World()
        for store in world.stores { store.fail() }
        try await world.send(until: 120)
        #expect(world.events.values.count == 4)
        #expect(world.events.values.allSatisfy { $0.feature == .rate && $0.kind == .fallback })
        for store in world.stores { store.onCall(nil) }
        try await world.send(until: 300)
        #expect(world.stores.allSatisfy { $0.done(.take) > 0 })
        #expect(world.refused.count { $0 >= 180 } <= 2, "\(world.refused)")
        #expect(world.events.values.count == 4)
    }

    @Test("a call whose turn comes after its deadline fails at once, without taking the turn")
    func deadline() async throws {
        let world = World(1)
        try await world.clock.running {
            for _ in 0..<90 { try await world.call(0) }
            let error = await failure { try await world.call(0, within: .milliseconds(1)) }
            #expect(error?.code == .rateLimited && (error?.retryAfter ?? .zero) > .milliseconds(500))
        }
    }

    @Test("a call whose deadline has passed takes no turn, and the store is not unavailable")
    func passed() async throws {
        let world = World(1)
        try await world.clock.running { for _ in 0..<90 { try await world.call(0) } }
        let taken = world.stores[0].count(of: .take)
        let error = await failure { try await world.call(0, within: .zero) }
        #expect(error?.code == .rateLimited)
        #expect(world.stores[0].count(of: .take) == taken && world.events.values.isEmpty)
    }

    @Test("a call that is cancelled while it asks the store ends there, and the store is not unavailable")
    func cancelled() async throws {
        let world = World(1)
        try await world.clock.running { for _ in 0..<60 { try await world.call(0) } }
        let sent = world.taken.count
        world.stores[0].fail(.cancelled)
        await #expect(throws: CancellationError.self) { try await world.call(0) }
        #expect(world.taken.count == sent && world.events.values.isEmpty)
    }

    @Test("a partition that means another user in another process takes no turns")
    func unstable() async throws {
        for isStable in [false, true] {
            let world = World(1)
            try await world.clock.running {
                for _ in 0..<90 { try await world.call(0, partition: Partition("a", isStable: isStable)) }
            }
            #expect(world.stores[0].count(of: .take) == (isStable ? 40 : 0))
        }
    }

    @Test("without a name each call fails before anything is sent")
    func settings() async throws {
        let limiter = RateLimiter.learning(named: "", in: LocalStore())
        #expect(limiter.problem != nil)
        #expect(RateLimiter.learning(named: "api", in: LocalStore()).problem == nil)
        let transport = ClosureTransport { request in .init(status: 200, url: request.url) }
        let error = await failure { try await Client(transport: transport).rate(limiter).call() }
        #expect(error?.code == .invalidChain)
    }
}
