import TestSupport

@testable import CoreNetKitRecovery

@Suite("A circuit breaker", .timeLimit(.minutes(10)), .paced)
struct BreakerTests {
    final class World: Sendable {
        let status = Locked(503)
        let gate = Gate()
        let wire: Wire
        let chain: Chain<Void, Void>
        let breaker: CircuitBreaker

        init(_ breaker: CircuitBreaker = CircuitBreaker(minimumCalls: 4, pause: .seconds(30)), isHeld: Bool = false) {
            let (status, gate) = (status, gate)
            if !isHeld { gate.open() }
            wire = Wire { _, request in
                try await gate.pass()
                return .init(status: status.withLock { $0 }, url: request.url)
            }
            self.breaker = breaker
            chain = wire.chain { $0.breaker(breaker) }
        }

        func call(_ status: Int? = nil) async -> NetworkError? {
            if let status { self.status.withLock { $0 = status } }
            return await chain.failure
        }
    }

    private let world = World()

    @Test("it opens at the given share of failures, but not before there are enough calls")
    func opens() async {
        for status in [503, 503, 503] { #expect(await world.call(status)?.status == status) }
        #expect(!world.breaker.isOpen)
        #expect(await world.call(500)?.status == 500)
        #expect(world.breaker.isOpen)
        let error = await world.call()
        #expect(error?.code == .circuitOpen)
        #expect(error?.retryAfter == .seconds(30))
        #expect(error?.message.contains("30000.000 ms") == true)
        #expect(world.wire.count == 4)
    }

    @Test("successes and the client's own faults keep it closed", arguments: [200, 400, 401, 404, 422, 429])
    func stays(status: Int) async {
        for _ in 0..<20 { _ = await world.call(status) }
        for _ in 0..<19 { _ = await world.call(503) }
        #expect(!world.breaker.isOpen)
        _ = await world.call(503)
        #expect(world.breaker.isOpen)
    }

    @Test("failures older than the window do not count")
    func window() async {
        for _ in 0..<3 { _ = await world.call(503) }
        world.wire.clock.advance(by: .seconds(11))
        for _ in 0..<3 { _ = await world.call(503) }
        #expect(!world.breaker.isOpen)
        _ = await world.call(503)
        #expect(world.breaker.isOpen)
    }

    @Test("after the pause one call is the probe, the others are refused; its success closes the circuit")
    func probe() async throws {
        let world = World(CircuitBreaker(minimumCalls: 1, pause: .seconds(30)))
        _ = await world.call(503)
        world.wire.clock.advance(by: .seconds(29))
        #expect(await world.call()?.code == .circuitOpen)
        world.wire.clock.advance(by: .seconds(1))
        let held = World(world.breaker, isHeld: true)
        held.wire.clock.advance(by: .seconds(30))
        let probe = Task { await held.call(200) }
        await held.gate.arrived(1)
        let refused = await held.call()
        #expect(refused?.code == .circuitOpen)
        #expect(refused?.retryAfter == nil)
        held.gate.open()
        #expect(await probe.value == nil)
        #expect(!world.breaker.isOpen)
        #expect(await held.call() == nil)
    }

    @Test("a failed probe opens the circuit for another pause; a cancelled one leaves its place")
    func failedProbe() async throws {
        let world = World(CircuitBreaker(minimumCalls: 1, pause: .seconds(30)))
        _ = await world.call(503)
        world.wire.clock.advance(by: .seconds(30))
        #expect(await world.call()?.status == 503)
        #expect(await world.call()?.retryAfter == .seconds(30))
        world.wire.clock.advance(by: .seconds(30))

        let held = World(world.breaker, isHeld: true)
        held.wire.clock.advance(by: .seconds(60))
        let probe = held.chain.start()
        await held.gate.arrived(1)
        await cancel(probe)
        #expect(world.breaker.isOpen)
        #expect(await world.call(200) == nil)
        #expect(!world.breaker.isOpen)
    }

    @Test("it counts calls, not attempts, and an open circuit is not retried")
    func outsideOfRetry() async throws {
        let wire = Wire(statuses: [503])
        let chain = wire.chain {
            $0.retry(RetryPolicy(limit: 4, decide: { _, _ in .zero })).breaker(CircuitBreaker(minimumCalls: 2))
        }
        for _ in 0..<3 { _ = try await wire.clock.running { await chain.failure } }
        #expect(wire.count == 10)
    }

    @Test("it remembers nothing from before it opened, once it is closed again")
    func closedAgain() async throws {
        // A window longer than the pause: counts must be forgotten, not merely expire.
        let world = World(CircuitBreaker(minimumCalls: 4, window: .seconds(1000), pause: .seconds(1)))
        for round in 1...2 {
            for number in 1...4 {
                #expect(!world.breaker.isOpen, "\(round).\(number)")
                #expect(await world.call(503)?.status == 503)
            }
            #expect(world.breaker.isOpen)
            world.wire.clock.advance(by: .seconds(1))
            #expect(await world.call(200) == nil)
            #expect(!world.breaker.isOpen)
        }
    }
}

@Suite("Counts over a sliding window", .paced)
struct RollingCountsTests {
    @Test("each counts for the whole window, and for at most a tenth beyond")
    func stretch() {
        for second in 0..<30 {
            var counts = RollingCounts(over: .seconds(10))
            counts.add(at: .zero)
            counts.add(isFailure: true, at: .seconds(second))
            for later in 0...9 {
                counts.advance(to: .seconds(second + later))
                #expect(counts.failures == 1)
                // A slot of one second holds the counts within it.
                if second + later < 10 { #expect(counts.calls == 2) }
            }
            counts.advance(to: .seconds(second + 11))
            #expect(counts.calls == 0 && counts.failures == 0)
        }
    }

    @Test("a clock that goes back, or far ahead, loses and adds nothing")
    func jumps() {
        var counts = RollingCounts(over: .seconds(10))
        counts.add(at: .seconds(100))
        counts.add(at: .seconds(50))
        #expect(counts.calls == 2)
        counts.add(at: .seconds(1_000_000_000))
        #expect(counts.calls == 1)
        counts.advance(to: .seconds(1_000_000_009))
        #expect(counts.calls == 1)
    }
}
