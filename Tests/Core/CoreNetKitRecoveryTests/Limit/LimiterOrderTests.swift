import TestSupport

@testable import CoreNetKitRecovery

/// The rules of places by themselves, step by step.
@Suite("Places for calls, in random orders", .timeLimit(.minutes(10)), .paced)
struct LimiterOrderTests {
    /// Callers around `LimiterState`, which know nothing of each other.
    private struct World {
        var rules: LimiterState<Int, Int>
        var dice: SplitMix64
        var waiting: [(caller: Int, host: Int)] = []
        /// Callers that have stopped waiting and have not said so yet.
        var givenUp: [(caller: Int, host: Int)] = []
        var inside: [(caller: Int, host: Int)] = []
        var problems: [String] = []
        var served = 0
        var next = 0

        init(seed: UInt64, total: Int, perHost: Int?) {
            rules = LimiterState(total: total, perHost: perHost)
            dice = SplitMix64(seed: seed)
        }

        mutating func roll(_ sides: Int) -> Int { Int(truncatingIfNeeded: (dice.next() >> 33) % UInt64(sides)) }

        mutating func step(hosts: Int, mayEnter: Bool) {
            switch roll(4) {
            case 0 where mayEnter:
                next += 1
                let (caller, host) = (next, roll(hosts))
                if rules.enter(host, { caller }) == nil {
                    inside.append((caller, host))
                } else {
                    waiting.append((caller, host))
                }
            case 1 where !waiting.isEmpty:
                givenUp.append(waiting.remove(at: roll(waiting.count)))
            case 2 where !givenUp.isEmpty:
                let one = givenUp.remove(at: roll(givenUp.count))
                admit(rules.leave(one.caller, one.host))
            case _ where !inside.isEmpty:
                let one = inside.remove(at: roll(inside.count))
                served += 1
                admit(rules.release(one.host))
            default: break
            }
            problems += rules.problems
            if rules.taken != inside.count { problems.append("\(rules.taken) taken, \(inside.count) inside") }
        }

        /// What the limiter does with callers that have a place now.
        private mutating func admit(_ turns: [LimiterState<Int, Int>.Turn]) {
            for turn in turns {
                if let index = waiting.firstIndex(where: { $0.caller == turn.caller }) {
                    if waiting[index].host != turn.host { problems.append("a place of another host") }
                    inside.append(waiting.remove(at: index))
                } else {
                    admit(rules.release(turn.host))
                }
            }
        }
    }

    @Test(
        "used and free places add up, for each host too, and no call waits for a free one",
        arguments: [(1, 1), (2, 1), (3, 2), (4, nil), (1, 4)] as [(Int, Int?)]
    )
    func invariants(total: Int, perHost: Int?) {
        for seed in TestRounds.seeds(50) {
            var world = World(seed: UInt64(seed), total: total, perHost: perHost)
            for _ in 0..<60 where world.problems.isEmpty { world.step(hosts: 3, mayEnter: true) }
            var left = 1000
            while world.problems.isEmpty, left > 0,
                !(world.inside.isEmpty && world.givenUp.isEmpty && world.waiting.isEmpty)
            {
                world.step(hosts: 3, mayEnter: false)
                left -= 1
            }
            #expect(world.problems == [], "seed \(seed)")
            #expect(world.rules.taken == 0 && world.rules.waiting == 0, "seed \(seed)")
            #expect(world.rules.balance.values.allSatisfy { $0.taken == 0 && $0.waiting == 0 })
            #expect(world.served > 0)
        }
    }

    @Test("of many hosts those without calls are forgotten")
    func manyHosts() {
        var rules = LimiterState<Int, Int>(total: 10, perHost: 2)
        for host in 0..<1000 {
            #expect(rules.enter(host) { 0 } == nil)
            #expect(rules.release(host) == [])
        }
        #expect(rules.balance.count <= 33)
    }

    @Test(
        "leaving the queue costs each caller the same, however many wait, and wherever it is",
        arguments: [nil, 1] as [Int?],
        [0, 1, 7919]
    )
    func leaving(perHost: Int?, stride: Int) {
        let growth = Counted.growth { callers in
            var rules = LimiterState<Counted, Int>(total: 1, perHost: perHost)
            for caller in callers { _ = rules.enter(0) { caller } }
            #expect(rules.waiting == callers.count - 1)
            // From the end, from the front, and all over.
            let order = callers.indices.map { stride == 0 ? callers.count - 1 - $0 : $0 * stride % callers.count }
            for index in order where index > 0 { #expect(rules.leave(callers[index], 0) == []) }
            #expect(rules.waiting == 0)
        }
        #expect(growth > 12 && growth < 20)
    }

    @Test("leaving a rate costs each caller the same, and the remaining turns are as if the others had not come")
    func leavingRate() {
        let growth = Counted.growth { callers in
            var rules = RateState<Counted>(interval: .seconds(1), lead: .zero)
            #expect(rules.reserve(at: .zero, before: nil) { callers[0] } == .now)
            for caller in callers { _ = rules.reserve(at: .zero, before: nil) { caller } }
            for caller in callers.dropFirst().dropLast() { #expect(rules.leave(caller) == nil) }
            #expect(rules.waiting == 2)
            #expect(rules.pass(callers[0])?.turn == .seconds(2))
        }
        #expect(growth > 12 && growth < 20)
    }

    @Test("turns come in the order of arrival, a second apart, whatever leaves", arguments: TestRounds.seeds(50))
    func turns(seed: Int) {
        var dice = SplitMix64(seed: UInt64(seed))
        var rules = RateState<Int>(interval: .seconds(1), lead: .zero)
        #expect(rules.reserve(at: .zero, before: nil) { -1 } == .now)
        var waiting: [Int] = []
        var called: RateState<Int>.Call = (0, .seconds(1))
        var times: [Duration] = []
        func take(_ next: RateState<Int>.Call?) {
            guard let next else { return }
            #expect(next.caller == waiting.first)
            called = next
        }
        for number in 0..<60 {
            switch dice.next() >> 33 % 3 {
            case 0, 1:
                let turn = rules.reserve(at: .zero, before: nil) { number }
                #expect(turn == .at(.seconds(1 + times.count + waiting.count), number, isFirst: waiting.isEmpty))
                if waiting.isEmpty { called = (number, .seconds(1 + times.count)) }
                waiting.append(number)
            default:
                guard let place = waiting.indices.randomElement(using: &dice) else { continue }
                if place == 0, dice.next() >> 63 == 0 {
                    times.append(called.turn)
                    take(rules.pass(waiting.removeFirst()))
                } else {
                    take(rules.leave(waiting.remove(at: place)))
                }
            }
        }
        #expect(times == times.indices.map { .seconds(1 + $0) })
    }

    @Test("a rate with any numbers is valid", arguments: [(1, 1), (1, Int.max), (Int.max, Int.max), (Int.max, 1)])
    func extremeRates(count: Int, burst: Int) {
        let now = Duration.seconds(1)
        for period in [Duration.nanoseconds(1), .seconds(1), .seconds(Int64.max)] {
            let limiter = RateLimiter(count, per: period, burst: burst)
            #expect(limiter.problem == nil)
            #expect(limiter.reserve(at: now, before: nil) == .now)
            _ = limiter.reserve(at: now, before: nil)
            _ = limiter.reserve(at: now, before: nil)
        }
        #expect(RateLimiter(1, burst: 0).problem == "the burst of 0 requests is not above zero")
    }
}

/// Calls to three hosts that compete for two places, and two of them that give up at a given step.
@Suite("Places for cancelled calls", .timeLimit(.minutes(10)), .paced)
struct LimiterCancellationTests {
    private static let hosts = ["http://a/", "http://b/", "http://c/"].compactMap { URL(string: $0) }

    /// Runs the crowd to its end.
    ///
    /// - Returns: What did not hold after one of the steps, and how many steps there were.
    private func run(seed: UInt64, cancellingAt point: Int) async -> (problems: [String], steps: Int) {
        let (dice, clock) = (Dice(seed: seed), ManualClock())
        let executor = WorldExecutor(dice, isThreaded: false)
        let wire = Wire(clock) { _, request in
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            return .init(status: 200, url: request.url)
        }
        let limiter = ConcurrencyLimiter(total: 2, perHost: 1)
        let node = LimitNode(next: TransportNode(wire), limiter: limiter)
        let calls = (0..<8).map { _ in
            let request = TransportRequest(method: .get, url: Self.hosts[dice.roll(Self.hosts.count)])
            return Task(executorPreference: executor) {
                _ = try? await node.process(request, context: RequestContext(clock: CallClock(clock)))
            }
        }
        let victims = [dice.roll(calls.count), dice.roll(calls.count)]
        var problems: [String] = []
        var steps = 0
        while true {
            executor.runUntilIdle {
                problems += limiter.problems
                for victim in victims where steps == point { calls[victim].cancel() }
                steps += 1
            }
            guard let next = clock.sleepers.first, problems.isEmpty else { break }
            clock.advance(to: next)
        }
        if limiter.callsInFlight + limiter.callsWaiting > 0 { problems.append("places are still taken") }
        return (problems, steps)
    }

    @Test("no place is lost, per host or in total, at whatever step two of them give up", arguments: 0..<8)
    func everyPoint(shard: Int) async {
        for seed in stride(from: shard, to: TestRounds.count(16), by: 8) {
            var point = 0
            while true {
                let (problems, steps) = await run(seed: UInt64(seed), cancellingAt: point)
                #expect(problems == [], "seed \(seed), step \(point)")
                point += 1
                if point > steps || !problems.isEmpty { break }
            }
            await Task.yield()
        }
    }
}
