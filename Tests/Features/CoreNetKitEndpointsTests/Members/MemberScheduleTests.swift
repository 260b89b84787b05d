import TestSupport

@testable import CoreNetKitEndpoints

@Suite("Random schedules of members", .timeLimit(.minutes(10)), .paced)
struct MemberScheduleTests {
    private static let strategies: [Endpoints.Strategy] = [
        .ordered(), .ordered(sticky: .zero), .roundRobin, .leastLoaded, .ordered().preferring(zone: "odd"),
        .roundRobin.preferring(zone: "odd"), .leastLoaded.preferring(zone: "odd"),
    ]

    /// One schedule: requests begin and end in any order, servers fail and recover, time passes, the list changes.
    private struct Schedule {
        var world: TableWorld
        var dice: SplitMix64
        var running: [MemberTable.Choice] = []
        var broken: Set<Int> = []

        init(seed: UInt64, _ strategy: Endpoints.Strategy) {
            var dice = SplitMix64(seed: seed)
            let weights = (0..<Int.random(in: 1...6, using: &dice)).map { _ in Int.random(in: 1...3, using: &dice) }
            self.dice = dice
            world = TableWorld(weights, strategy, seed: seed)
        }

        mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &dice) }

        mutating func report(about choice: MemberTable.Choice) -> MemberTable.Report {
            if roll(8) == 0 { return .neither }
            if broken.contains(TableWorld.number(choice)) {
                return roll(4) == 0 ? .rest(.seconds(roll(400)), isFailure: roll(2) == 0) : .failure
            }
            return roll(20) == 0 ? .failure : .success(latency: Int64(roll(1_000_000)))
        }

        mutating func step() {
            switch roll(10) {
            case 0...3:
                if let choice = world.choose(except: roll(3) == 0 ? UInt64(roll(8)) : 0) { running.append(choice) }
            case 4...6:
                guard !running.isEmpty else { return }
                let choice = running.remove(at: roll(running.count))
                world.end(choice, report(about: choice))
            case 7: world.now += .milliseconds(roll(20_000))
            case 8:
                let number = roll(6)
                if broken.remove(number) == nil { broken.insert(number) }
            default:
                if roll(3) == 0 { world.returns += 1 }
                guard roll(10) == 0 else { return }
                let numbers = (0..<6).filter { _ in roll(2) == 0 }
                world.table.replace(with: numbers.map { TableWorld.target($0) })
            }
        }

        /// What must hold at every moment.
        var problem: String? {
            let entries = world.table.entries
            if world.ejected > entries.count / 2 { return "\(world.ejected) of \(entries.count) are ejected" }
            if entries.contains(where: { $0.load.inFlight < 0 }) { return "less than none is in flight" }
            let known = Set(entries.map(\.serial))
            let running = running.count { known.contains($0.serial) }
            return running == world.inFlight ? nil : "\(world.inFlight) in flight, \(running) are running"
        }
    }

    @Test(
        "never more than half are ejected, nothing in flight is lost, and each member is reached",
        arguments: strategies
    )
    func schedules(_ strategy: Endpoints.Strategy) {
        for seed in TestRounds.seeds(60) {
            var schedule = Schedule(seed: UInt64(seed), strategy)
            var problem: String?
            for _ in 0..<100 where problem == nil {
                schedule.step()
                problem = schedule.problem
            }
            problem = problem ?? end(&schedule)
            #expect(problem == nil, "seed \(seed)")
            if problem != nil { return }
        }
    }

    /// From any state: a call that moves on reaches every member, and once all work, nobody starves.
    private func end(_ schedule: inout Schedule) -> String? {
        var tried: UInt64 = 0
        let count = schedule.world.table.entries.count
        for _ in 0..<count {
            guard let choice = schedule.world.choose(except: tried), tried & choice.bit == 0 else {
                return "a member was not reached"
            }
            tried |= choice.bit
            schedule.world.end(choice, .success(latency: nil))
        }
        for choice in schedule.running { schedule.world.end(choice, .neither) }
        if schedule.world.inFlight != 0 { return "in flight: \(schedule.world.inFlight)" }
        guard count > 0 else { return nil }
        schedule.world.now += .seconds(1_000)
        // Those that were ejected get a probe each; latencies of the past are equal by then.
        var served = Set<Int>()
        for _ in 0..<60 * count {
            let choice = schedule.world.choose()
            served.insert(TableWorld.number(choice))
            schedule.world.end(choice, .success(latency: 1_000_000))
            schedule.world.now += .seconds(1)
        }
        if schedule.world.table.states.contains(where: { $0.restingUntil != nil }) { return "one still rests" }
        if schedule.world.table.strategy.isOrdered {
            return schedule.world.send(1) == [TableWorld.number(of: schedule.world.table.entries[0])]
                ? nil : "not the first"
        }
        let numbers = Set(schedule.world.table.entries.map(TableWorld.number(of:)))
        let odd: Set<Int> = schedule.world.table.strategy.zone == nil ? [] : numbers.filter { $0 % 2 == 1 }
        return served == (odd.isEmpty ? numbers : odd) ? nil : "only \(served) of \(numbers) were served"
    }
}

extension TableWorld {
    static func number(of entry: MemberTable.Entry) -> Int { Int(entry.target.origin.host.dropFirst()) ?? -1 }
}
