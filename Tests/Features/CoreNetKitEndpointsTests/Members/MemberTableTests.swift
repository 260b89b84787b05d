import TestSupport

@testable import CoreNetKitEndpoints

/// A table with a time of its own.
struct TableWorld {
    var table: MemberTable
    var now = Duration.zero
    var returns = 0

    init(_ weights: [Int], _ strategy: Endpoints.Strategy, seed: UInt64 = 1) {
        table = MemberTable(weights.enumerated().map { Self.target($0, weight: $1) }, strategy, seed: seed)
    }

    /// A member, in the zone `even` or `odd`.
    static func target(_ number: Int, weight: Int = 1) -> MemberTarget {
        let origin = Endpoints("https://s\(number)", ["https://s\(number)"]).origin
        let zone = number % 2 == 0 ? "even" : "odd"
        return MemberTarget(origin, of: origin, weight, zone, isTrusted: true, isDiscovered: false)
    }

    static func number(_ choice: MemberTable.Choice?) -> Int { Int(choice?.target.origin.host.dropFirst() ?? "") ?? -1 }

    var moment: MemberTable.Moment { .init(now: now, returns: returns) }

    mutating func choose(except tried: UInt64 = 0) -> MemberTable.Choice? {
        table.choose(except: tried, at: { [moment] in moment })
    }

    @discardableResult
    mutating func end(_ choice: MemberTable.Choice?, _ report: MemberTable.Report) -> MemberTable.Change? {
        choice.flatMap { table.end($0, report, at: { [moment] in moment }) }
    }

    /// Sends requests one after another, and says who got them.
    mutating func send(_ count: Int, _ report: (Int) -> MemberTable.Report = { _ in .success(latency: nil) }) -> [Int] {
        (0..<count).map { _ in
            let choice = choose()
            let number = Self.number(choice)
            end(choice, report(number))
            return number
        }
    }

    var ejected: Int { table.entries.count { ($0.ejectedUntil ?? .zero) > now } }
    var inFlight: Int { table.entries.reduce(0) { $0 + $1.load.inFlight } }
}

@Suite("Members", .timeLimit(.minutes(10)), .paced)
struct MemberTableTests {
    /// The first server fails.
    private static let failing: @Sendable (Int) -> MemberTable.Report = { $0 == 0 ? .failure : .success(latency: nil) }

    /// Two members, of which the first is ejected for ten seconds.
    private func ejected(sticky: Duration = .zero) -> TableWorld {
        var world = TableWorld([1, 1], .ordered(sticky: sticky))
        _ = world.send(3, Self.failing)
        return world
    }

    @Test(
        "ordered: the first gets all requests while it works; round robin follows the weights, spread evenly",
        arguments: [(.ordered(), [0, 0, 0, 0, 0, 0, 0]), (.roundRobin, [0, 0, 1, 0, 2, 0, 0])]
            as [(Endpoints.Strategy, [Int])]
    )
    func choice(_ strategy: Endpoints.Strategy, _ expected: [Int]) {
        var world = TableWorld([5, 1, 1], strategy)
        #expect(world.send(7) == expected)
    }

    @Test("the third failure in a row ejects a member for ten seconds, a success in between starts the count again")
    func ejects() {
        var world = TableWorld([1, 1], .ordered(sticky: .zero))
        #expect(world.send(2, Self.failing) == [0, 0])
        #expect(world.send(1) == [0])
        #expect(world.send(4, Self.failing) == [0, 0, 0, 1])
        #expect(world.table.states[0].ejectedUntil == .seconds(10))
    }

    @Test("one probe at a time returns it; the others do not wait for it")
    func probes() {
        var world = ejected()
        world.now = .seconds(10)
        let probe = world.choose()
        #expect(probe?.isProbe == true && TableWorld.number(probe) == 0)
        #expect(world.send(2) == [1, 1])
        #expect(world.end(probe, .success(latency: nil)) == .returned)
        #expect(world.send(1) == [0])
    }

    @Test("a failed probe doubles, then trebles the pause, at most to five minutes; five quiet minutes begin anew")
    func pauses() {
        var world = ejected()
        var pauses: [Int64] = []
        for _ in 0..<40 {
            world.now = world.table.states[0].ejectedUntil ?? world.now
            let probe = world.choose()
            if case .ejected(let pause) = world.end(probe, .failure) { pauses.append(pause.wholeSeconds) }
        }
        #expect(Array(pauses.prefix(3)) == [20, 30, 40] && pauses.last == 300 && pauses.count == 40)
        world.now = world.table.states[0].ejectedUntil ?? world.now
        _ = world.send(1)
        world.now += .seconds(301)
        _ = world.send(3, Self.failing)
        #expect(world.table.states[0].ejectedUntil == world.now + .seconds(10))
    }

    @Test("a cancelled probe is no verdict, and one that hangs is replaced")
    func leases() {
        var world = ejected()
        world.now = .seconds(10)
        let cancelled = world.choose()
        world.end(cancelled, .neither)
        let hanging = world.choose()
        #expect(hanging?.isProbe == true)
        #expect(world.choose()?.isProbe == false)
        world.now = .seconds(20)
        #expect(world.choose()?.isProbe == true)
    }

    @Test("at most half are ejected", arguments: [(1, 0), (2, 1), (3, 1), (5, 2)])
    func half(of count: Int, most: Int) {
        var world = TableWorld(Array(repeating: 1, count: count), .roundRobin)
        _ = world.send(100) { _ in .failure }
        #expect(world.ejected == most)
    }

    @Test("if none is left, all are used, and one that responds is back at once")
    func allDown() {
        var world = TableWorld([1, 1], .roundRobin)
        _ = world.send(20) { _ in .failure }
        let choice = world.choose()
        let other = world.choose(except: choice?.bit ?? 0)
        #expect(Set([TableWorld.number(choice), TableWorld.number(other)]) == [0, 1])
        world.end(choice, .success(latency: nil))
        world.end(other, .success(latency: nil))
        #expect(world.ejected == 0)
    }

    @Test(
        "members of the preferred zone are used while one of them works, then all, and one probe brings them back",
        arguments: [.ordered(sticky: .zero), .roundRobin, .leastLoaded] as [Endpoints.Strategy]
    )
    func zones(_ strategy: Endpoints.Strategy) {
        var world = TableWorld([1, 1, 1, 1], strategy.preferring(zone: "odd"))
        #expect(world.table.states.map(\.origin.host) == ["s1", "s3", "s0", "s2"])
        #expect(Set(world.send(30)).isSubset(of: [1, 3]))
        // A call that has tried both goes on to another zone.
        let tried = world.table.entries.prefix(2).reduce(UInt64(0)) { $0 | $1.bit }
        let next = world.choose(except: tried)
        #expect([0, 2].contains(TableWorld.number(next)))
        world.end(next, .success(latency: nil))
        while world.ejected < 2 { _ = world.send(1) { $0 % 2 == 1 ? .failure : .success(latency: nil) } }
        #expect(Set(world.send(30)).isSubset(of: [0, 2]))
        world.now = .seconds(100)
        #expect([1, 3].contains(world.send(1)[0]))
        #expect(Set(world.send(30)).isSubset(of: [1, 3]))
    }

    @Test("a zone that no member has is no reason to send nothing")
    func strangeZone() {
        var world = TableWorld([1, 1], .roundRobin.preferring(zone: "nowhere"))
        #expect(Set(world.send(4)) == [0, 1])
    }

    @Test("a member that asked to be left alone rests that long, and failures of its own count beside it")
    func rests() {
        var world = TableWorld([1, 1, 1], .ordered(sticky: .zero))
        world.end(world.choose(), .rest(.seconds(5), isFailure: false))
        #expect(world.send(2) == [1, 1])
        #expect(world.send(3) { $0 == 1 ? .failure : .success(latency: nil) } == [1, 1, 1])
        #expect(world.send(1) == [2])
        world.now = .seconds(5)
        #expect(world.send(1) == [0])
    }

    @Test("ordered stays with a later member for a while, and the network's return ends that and the ejection")
    func sticky() {
        var world = ejected(sticky: .seconds(60))
        #expect(world.send(1) == [1])
        world.now = .seconds(59)
        #expect(world.send(1) == [1])
        world.now = .seconds(60)
        #expect(world.send(1, Self.failing) == [0])
        world.now = .seconds(61)
        #expect(world.send(1) == [1])
        world.returns = 1
        #expect(world.send(2) == [0, 0])
    }

    @Test("results of requests from before a change of health change nothing")
    func late() {
        var world = TableWorld([1, 1], .ordered(sticky: .zero))
        let old = (0..<5).map { _ in world.choose() }
        for choice in old.prefix(3) { world.end(choice, .failure) }
        #expect(world.ejected == 1)
        #expect(world.end(old[3], .success(latency: nil)) == nil && world.end(old[4], .failure) == nil)
        #expect(world.ejected == 1 && world.inFlight == 0)
    }

    @Test("the less loaded of two gets the request: by latency, requests in flight and weight")
    func leastLoaded() {
        var world = TableWorld([1, 1], .leastLoaded)
        let both = [world.choose(), world.choose()]
        #expect(Set(both.map(TableWorld.number)) == [0, 1])
        for choice in both {
            world.end(choice, .success(latency: TableWorld.number(choice) == 0 ? 100_000_000 : 1_000_000))
        }
        let next = (0..<50).map { _ in TableWorld.number(world.choose()) }
        #expect(next.allSatisfy { $0 == 1 })
        // An old latency counts less and less.
        world.now = .seconds(3_600)
        #expect((0..<200).contains { _ in TableWorld.number(world.choose()) == 0 })

        var heavy = TableWorld([1, 3], .leastLoaded)
        let shares = (0..<400).map { _ in TableWorld.number(heavy.choose()) }
        #expect((290...310).contains(shares.count { $0 == 1 }))
    }

    @Test("a peak counts at once, a lower latency in proportion to the time that has passed")
    func peak() {
        var load = MemberLoad()
        load.add(1_000, at: .zero)
        load.add(5_000, at: .zero)
        #expect(load.latency == .nanoseconds(5_000))
        load.add(1_000, at: .seconds(10))
        #expect(load.latency == .nanoseconds(3_000))
    }

    @Test("a new list keeps the health of members that stay, forgets the others, and has at most 64")
    func replaced() {
        var world = ejected()
        let running = world.choose()
        let targets = [2, 0, 3].map { TableWorld.target($0) }
        world.table.replace(with: targets)
        world.end(running, .failure)
        #expect(world.table.states.map { $0.ejectedUntil != nil } == [false, true, false])
        #expect(world.send(1) == [2] && world.inFlight == 0)
        world.table.replace(with: [TableWorld.target(0)])
        #expect(world.table.states.map(\.ejectedUntil) == [nil])
        world.table.replace(with: (0..<70).map { TableWorld.target($0) })
        #expect(world.table.entries.count == 64 && Set(world.table.entries.map(\.bit)).count == 64)
        world.table.replace(with: [])
        #expect(world.choose() == nil)
    }
}
