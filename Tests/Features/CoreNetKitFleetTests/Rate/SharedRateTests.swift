import CoreNetKitFleet
import TestSupport

@Suite("A rate that several processes share", .timeLimit(.minutes(10)), .paced)
struct SharedRateTests {
    final class World: Sendable {
        let clock = ManualClock()
        let sent = Recorder<Duration>()
        let events = Recorder<FleetEvent>()
        let local: LocalStore

        /// One for all calls: each has a zero of its own, and a limiter compares their times.
        private let time: CallClock

        init() { (local, time) = (LocalStore(clock: clock), CallClock(clock)) }

        func limiter(
            _ count: Int = 10,
            per period: Duration = .seconds(1),
            burst: Int = 1,
            named name: String = "api",
            in store: (any SharedStore)? = nil,
            ifStoreUnavailable policy: StoreFailurePolicy = .closed,
            dryRun: Bool = false
        ) -> RateLimiter {
            RateLimiter(
                count,
                per: period,
                burst: burst,
                named: name,
                in: store ?? local,
                ifStoreUnavailable: policy,
                dryRun: dryRun,
                events: { [events] in events.record($0) }
            )
        }

        func call(_ limiter: RateLimiter, deadline: Duration? = nil) async throws {
            let (clock, sent) = (clock, sent)
            let transport = ClosureTransport { request in
                sent.record(clock.now.offset)
                return .init(status: 200, url: request.url)
            }
            try await Client(transport: transport, clock: time).rate(limiter).call(deadline: deadline)
        }

        /// Runs work; time goes on to whoever sleeps.
        func running(_ work: @escaping @Sendable () async throws -> Void) async throws {
            try await clock.running(yields: 0, work)
        }
    }

    private let world = World()

    @Test("lets all of them together send as much as one", arguments: [(1, 1), (4, 1), (4, 5)])
    func together(processes: Int, burst: Int) async throws {
        let limiters = (0..<processes).map { _ in world.limiter(10, burst: burst) }
        try await world.running {
            try await concurrently(40) { try await world.call(limiters[$0 % processes]) }
        }
        let times = world.sent.values.sorted()
        #expect(times.count == 40)
        for (index, time) in times.enumerated().dropFirst(burst) {
            // After the burst one each 100 ms; who was told to wait may be later, never earlier.
            #expect(time >= .milliseconds(100) * (index - burst + 1) - .milliseconds(1))
        }
    }

    @Test("asks for the next place as much earlier as the clock woke it late for the last one")
    func late() async throws {
        let (store, clock) = (WatchedStore(world.local), world.clock)
        let limiter = world.limiter(in: store)
        func sleepers(until time: Int) -> Int { clock.sleepers.count { $0.offset == .milliseconds(time) } }
        let calls = (0..<4).map { _ in Task { try await world.call(limiter) } }
        // The first is granted at once, the second at 100 ms, when the third is asked for.
        await until { sleepers(until: 100) == 2 }
        clock.advance(by: .milliseconds(115))
        await until { sleepers(until: 185) + sleepers(until: 200) >= 2 }
        #expect(sleepers(until: 185) == 1 && store.count(of: .take) == 3)
        try await world.running { for call in calls { try await call.value } }
    }

    @Test("refuses at once what would exceed the deadline, and remembers it without asking again")
    func refused() async throws {
        let store = WatchedStore(world.local)
        let limiter = world.limiter(1, per: .seconds(10), in: store)
        try await world.call(limiter)
        for _ in 0..<3 {
            let error = await failure { try await world.call(limiter, deadline: .seconds(5)) }
            #expect(error?.code == .rateLimited)
            #expect(error?.retryAfter.map { $0 > .seconds(9) } == true)
        }
        #expect(store.count(of: .take) == 2)
        #expect(world.sent.values.count == 1)
    }

    @Test("takes tokens for 10 ms at once, and drops those unused within 100 ms")
    func hand() async throws {
        let store = WatchedStore(world.local)
        let limiter = world.limiter(1000, burst: 50, in: store, ifStoreUnavailable: .localShare(of: 2))
        for _ in 0..<5 { try await world.call(limiter) }
        #expect(store.count(of: .take) == 1)
        try await world.call(limiter)
        #expect(store.count(of: .take) == 2)
        world.clock.advance(by: .milliseconds(101))
        try await world.call(limiter)
        #expect(store.count(of: .take) == 3)
    }

    @Test(
        "a batch is what one process needs in 10 ms, at least one, at most the burst",
        arguments: [
            (1000.0, 1, 50, 10), (1000.0, 8, 50, 1), (20_000.0, 4, 50, 50), (20_000.0, 4, 100, 50), (1.0, 1, 50, 1),
            (1e9, 1, 100_000, 100_000), (1000.0, 0, 50, 10),
        ]
    )
    func size(rate: Double, processes: Int, burst: Int, size: Int) {
        #expect(TokenReserve.size(rate: rate, processes: processes, burst: burst) == size)
    }

    @Test("a call cancelled while it waits leaves its turn to the next one")
    func cancelled() async throws {
        let limiter = world.limiter(1, per: .seconds(1))
        try await world.call(limiter)
        let first = Task { try await world.call(limiter) }
        try await world.clock.waitForSleepers(1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        try await world.running { try await world.call(limiter) }
        #expect(world.sent.values.count == 2)
        #expect(world.sent.values.last.map { $0 <= .milliseconds(1100) } == true)
    }

    @Test("while the store is away each process sends its share, and says so once")
    func share() async throws {
        let stores = (0..<4).map { _ in WatchedStore(world.local) }
        let limiters = stores.map { world.limiter(40, in: $0, ifStoreUnavailable: .localShare(of: 4)) }
        for store in stores { store.fail() }
        try await world.running {
            try await concurrently(80) { try await world.call(limiters[$0 % 4]) }
        }
        let last = try #require(world.sent.values.max())
        #expect(last >= .milliseconds(1999) && last <= .milliseconds(2101))
        #expect(world.events.values.count == 4)
        #expect(world.events.values.allSatisfy { $0.kind == .fallback && $0.cause?.code == .unreachable })
    }

    @Test("while the store is away an open rate allows, a closed one refuses")
    func openAndClosed() async throws {
        let store = WatchedStore(world.local)
        store.fail(.timedOut)
        let open = world.limiter(1, per: .seconds(100), in: store, ifStoreUnavailable: .open)
        for _ in 0..<5 { try await world.call(open) }
        let closed = world.limiter(1, in: store, ifStoreUnavailable: .closed)
        #expect(await failure { try await world.call(closed) }?.code == .rateLimited)
        #expect(world.sent.values.count == 5)
        store.onCall(nil)
        try await world.call(closed)
        #expect(world.events.values.count == 2)
    }

    @Test("a dry run lets everything pass at once, and reports what it would have delayed")
    func dryRun() async throws {
        let limiter = world.limiter(1, per: .seconds(100), dryRun: true)
        for _ in 0..<3 { try await world.call(limiter) }
        #expect(world.sent.values == [.zero, .zero, .zero])
        await until { world.events.values.count == 2 }
        #expect(world.events.values.allSatisfy { $0.kind == .overLimit })
    }

    @Test("with invalid settings fails each call before anything is sent")
    func settings() async throws {
        #expect(world.limiter(ifStoreUnavailable: .localShare(of: 1)).problem == nil)
        #expect(world.limiter(0).problem != nil)
        #expect(world.limiter(.max).problem != nil)
        #expect(world.limiter(per: .zero).problem != nil)
        #expect(world.limiter(per: .seconds(Int64.max)).problem != nil)
        #expect(world.limiter(burst: 0).problem != nil)
        #expect(world.limiter(named: "").problem != nil)
        #expect(world.limiter(ifStoreUnavailable: .localShare(of: 0)).problem != nil)
        #expect(await failure { try await world.call(world.limiter(0)) }?.code == .invalidChain)
    }
}

@Suite("A shared rate while some processes are cut off from its store, and later", .timeLimit(.minutes(10)), .paced)
struct RateAwayTests {
    private static let (processes, rate, burst) = (4, 50, 5)

    /// Processes that always have something to send, each with its own way to the one store.
    private let world = SharedRateTests.World()
    private let ways: [WatchedStore]
    private let stores: [GuardedStore]
    private let limiters: [RateLimiter]

    init() {
        let world = world
        ways = (0..<Self.processes).map { _ in WatchedStore(world.local) }
        stores = ways.map { GuardedStore($0, timeout: nil, clock: world.clock) }
        limiters = stores.map {
            world.limiter(Self.rate, burst: Self.burst, in: $0, ifStoreUnavailable: .localShare(of: Self.processes))
        }
    }

    private func send(until end: Duration) async throws {
        try await world.running { [world, limiters] in
            try await concurrently(2 * limiters.count) { number in
                while world.clock.now.offset < end { try await world.call(limiters[number % limiters.count]) }
            }
        }
    }

    private func sent(from start: Duration, to end: Duration) -> Double {
        Double(world.sent.values.count { start <= $0 && $0 < end })
    }

    @Test(
        "is exceeded by no more than the shares of those cut off, and by nothing from a second after they are back",
        arguments: 1...processes
    )
    func cutOff(count: Int) async throws {
        try await send(until: .seconds(2))
        for way in ways.prefix(count) { way.fail() }
        try await send(until: .seconds(12))
        for way in ways { way.onCall(nil) }
        try await send(until: .milliseconds(12_500))
        // What the connection of a store on a server does within a second: it finds out that the server is back.
        for store in stores { store.noteBack() }
        try await send(until: .seconds(23))

        let together = count < Self.processes ? Double(Self.rate) : 0
        let shares = Double(Self.rate * count) / Double(Self.processes)
        let away = sent(from: .seconds(3), to: .seconds(12))
        #expect(away <= (together + shares) * 9 * 1.01 + Double(Self.burst), "\(away)")
        // The test's time may run ahead of who has just been woken: less is sent then.
        #expect(away >= (together + shares) * 9 / 2, "\(away)")
        #expect(world.events.values.count == count)
        let back = sent(from: .seconds(13), to: .seconds(23))
        #expect(back <= Double(Self.rate) * 10 * 1.01 + Double(Self.burst), "\(back)")
        #expect(back >= Double(Self.rate) * 10 * 0.9, "\(back)")
    }
}

@Suite("A rate that eight processes share is shared by turns", .timeLimit(.minutes(10)), .paced)
struct FairRateTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var rate = 50
        var burst = 10
        /// How many calls wait in each process at any time.
        var callers = Array(repeating: 8, count: 8)
        /// How long each 20th reply of the store takes.
        var stutter = Duration.zero
    }

    private static let rows = [
        Row(testDescription: "as it was found: 50 a second, burst 10"),
        Row(testDescription: "no burst", burst: 1),
        Row(testDescription: "a faster one", rate: 200, burst: 20),
        Row(testDescription: "many callers in one of them", callers: [64] + Array(repeating: 8, count: 7)),
        Row(testDescription: "few callers in one of them", callers: [2] + Array(repeating: 16, count: 7)),
        Row(testDescription: "a store that stutters", stutter: .milliseconds(100)),
    ]

    @Test("none has less than half of its share in ten seconds, and no call fails that is in time", arguments: rows)
    func fair(row: Row) async throws {
        let (clock, counts) = (ManualClock(), Locked([Int: Int]()))
        let failures = Recorder<NetworkError>()
        let local = LocalStore(clock: clock)
        let end = Duration.seconds(10)
        let clients = (0..<8).map { process in
            let store = WatchedStore(local)
            if row.stutter > .zero {
                store.on(.take, .after) { count throws(SharedStoreError) in
                    guard count.isMultiple(of: 20) else { return }
                    try? await clock.sleep(until: clock.now.advanced(by: row.stutter))
                }
            }
            let limiter = RateLimiter(row.rate, burst: row.burst, named: "api", in: store, ifStoreUnavailable: .closed)
            let transport = ClosureTransport { request in
                if clock.now.offset < end { counts.withLock { $0[process, default: 0] += 1 } }
                return .init(status: 200, url: request.url)
            }
            return Client(transport: transport, clock: CallClock(clock)).rate(limiter)
        }
        try await clock.running {
            let callers = zip(clients, row.callers).flatMap { Array(repeating: $0, count: $1) }
            try await concurrently(callers.count) { number in
                while clock.now.offset < end {
                    let error = await failure { try await callers[number].call(deadline: .seconds(5)) }
                    if let error { failures.record(error) }
                }
            }
        }
        let sent = (0..<8).map { process in counts.withLock { $0[process, default: 0] } }
        let (total, allowed) = (Double(sent.reduce(0, +)), Double(row.rate * 10 + row.burst))
        #expect(sent.allSatisfy { Double($0) >= Double(row.rate * 10) / 16 }, "\(sent)")
        #expect(total <= allowed * 1.01 + 1, "\(sent)")
        #expect(total >= allowed * 0.8, "\(sent)")
        // Those whose processes have more callers than their turns in five seconds allow are late by right.
        if row.callers.allSatisfy({ Double($0 * 8) / Double(row.rate) < 4.5 }) {
            #expect(failures.values.isEmpty, "\(failures.values.count): \(String(describing: failures.values.first))")
        }
    }

    @Test("of calls that come at once those pass whose place comes before the deadline, and the others fail")
    func atOnce() async throws {
        let world = SharedRateTests.World()
        let limiters = (0..<8).map { _ in world.limiter(50, burst: 10) }
        let codes = try await world.clock.running {
            try await concurrently(320) { number in
                await failure { try await world.call(limiters[number % 8], deadline: .seconds(5)) }?.code
            }
        }
        let failed = codes.compactMap(\.self)
        #expect(failed.allSatisfy { $0 == .rateLimited })
        // 4.5 s are 225 places.
        #expect(failed.count <= 320 - 225, "\(failed.count)")
        #expect(world.sent.values.count <= 260)
    }
}
