import CoreNetKit
import CoreNetKitFleet
import CoreNetKitMock
import CoreNetKitSharedStore
import TestPace
import TestSupport
import Testing

@Suite("A shared rate while some processes are cut off from its store, and later", .timeLimit(.minutes(10)), .paced)
struct RateAwayTests {
    private static let (processes, rate, burst) = (4, 50, 5)

    /// Processes that always have something to send, each with its own way to the one store.
    private struct Fleet: Sendable {
        let world = SharedRateTests.World()
        let ways: [WatchedStore]
        let stores: [GuardedStore]
        let limiters: [RateLimiter]

        init() {
            let world = world
            ways = (0..<processes).map { _ in WatchedStore(world.local) }
            stores = ways.map { GuardedStore($0, timeout: nil, clock: world.clock) }
            limiters = stores.map {
                world.limiter(rate, burst: burst, in: $0, ifStoreUnavailable: .localShare(of: processes))
            }
        }

        /// Sends from all of them until a time.
        func send(until end: Duration) async throws {
            try await world.running { [world, limiters] in
                try await withThrowingTaskGroup { group in
                    for limiter in limiters + limiters {
                        group.addTask {
                            while world.clock.now.offset < end { try await world.call(limiter) }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }

        func sent(from start: Duration, to end: Duration) -> Int {
            world.sent.values.count { start <= $0 && $0 < end }
        }
    }

    @Test(
        "is exceeded by no more than the shares of those cut off, and by nothing from a second after they are back",
        arguments: 1...processes
    )
    func cutOff(count: Int) async throws {
        let fleet = Fleet()
        try await fleet.send(until: .seconds(2))
        for way in fleet.ways.prefix(count) { way.fail() }
        try await fleet.send(until: .seconds(12))
        for way in fleet.ways { way.onCall(nil) }
        try await fleet.send(until: .milliseconds(12_500))
        // What the connection of a store on a server does within a second: it finds out that the server is back.
        for store in fleet.stores { store.noteBack() }
        try await fleet.send(until: .seconds(23))

        let together = count < Self.processes ? Double(Self.rate) : 0
        let shares = Double(Self.rate * count) / Double(Self.processes)
        let away = Double(fleet.sent(from: .seconds(3), to: .seconds(12)))
        #expect(away <= (together + shares) * 9 * 1.01 + Double(Self.burst), "\(away)")
        // The test's time may run ahead of who has just been woken: less is sent then.
        #expect(away >= (together + shares) * 9 / 2, "\(away)")
        #expect(fleet.world.events.values.count == count)
        let back = Double(fleet.sent(from: .seconds(13), to: .seconds(23)))
        #expect(back <= Double(Self.rate) * 10 * 1.01 + Double(Self.burst), "\(back)")
        #expect(back >= Double(Self.rate) * 10 * 0.9, "\(back)")
    }
}
