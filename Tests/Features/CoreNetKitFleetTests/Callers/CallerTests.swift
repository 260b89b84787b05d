import CoreNetKit
import CoreNetKitChain
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

/// `.ci/proofs callers` tries ten thousand schedules.
@Suite("Nothing that calls share crosses from one caller to another", .timeLimit(.minutes(10)), .paced)
struct CallerTests {
    private static let seeds = TestRounds.seeds(20)

    @Test("there are at least 40 ways in which a call can say who makes it, each once")
    func count() {
        #expect(CallWay.all.count >= 40)
    }

    @Test("each way is enough by itself, in the same process and in another one", arguments: CallPlace.allCases)
    func alone(place: CallPlace) async throws {
        for way in CallWay.all where place != .cookies || way.isLogin {
            let world = try CallerWorld(place, [(way, false)])
            var crossed: [String] = []
            async let first = world.call("alice")
            async let second = world.call("bob")
            crossed += try await first + second
            for user in ["alice", "bob", "alice"] { crossed += try await world.call(user) }
            for user in ["bob", "alice", "bob"] { crossed += try await world.call(user, in: 1) }
            #expect(crossed == [], "\(way.testDescription)")
        }
    }

    @Test("calls of one caller share what they may", arguments: CallPlace.allCases)
    func shared(place: CallPlace) async throws {
        guard place != .coalescing, place != .cookies else { return }
        let sent = Recorder<String>()
        let ways = [
            CallWay(testDescription: "a partition") {
                $0.set(partition: Partition($1)).set(transport: UserServer($1, sent: sent))
            },
            CallWay(testDescription: "a partition and a field") {
                $0.set(partition: Partition($1)).add(headers: ["X-Api-Key": $1])
                    .set(transport: UserServer($1, sent: sent))
            },
            CallWay(testDescription: "a client certificate") {
                $0.set(transport: UserServer($1, identity: "0a1b", sent: sent))
            },
        ]
        for way in ways {
            let world = try CallerWorld(place, [(way, false)])
            let before = sent.values.count
            for _ in 0..<3 { #expect(try await world.call("alice") == []) }
            if place.outlivesProcess { #expect(try await world.call("alice", in: 1) == []) }
            #expect(sent.values.count == before + 1, "\(way.testDescription)")
        }
    }

    @Test("random users, ways, places and processes")
    func random() async throws {
        for seed in Self.seeds {
            var dice = SplitMix64(seed: UInt64(seed))
            let place = CallPlace.allCases.randomElement(using: &dice) ?? .memory
            let ways = CallWay.all.filter { place != .cookies || $0.isLogin }.shuffled(using: &dice)
                .prefix(Int.random(in: 1...3, using: &dice))
            // The first of them tells the users apart, the others may.
            let first = ways.first
            let chosen = ways.enumerated().map { number, way in
                let mayBeShared = number > 0 && !way.isTransport && first?.isReplaced(by: way) == false
                return (way, mayBeShared && Bool.random(using: &dice))
            }
            let world = try CallerWorld(place, chosen)
            let calls = (0..<Int.random(in: 2...6, using: &dice)).map { _ in
                (Bool.random(using: &dice) ? "alice" : "bob", Int.random(in: 0...1, using: &dice))
            }
            let isAtOnce = Bool.random(using: &dice)
            let crossed = try await withThrowingTaskGroup(of: [String].self) { group in
                var crossed: [String] = []
                for (user, process) in calls {
                    group.addTask { try await world.call(user, in: process) }
                    if !isAtOnce { crossed += try await group.next() ?? [] }
                }
                return try await group.reduce(into: crossed) { $0 += $1 }
            }
            #expect(crossed == [], "seed \(seed), \(place), \(chosen.map { "\($0.0.testDescription) \($0.1)" })")
        }
    }
}
