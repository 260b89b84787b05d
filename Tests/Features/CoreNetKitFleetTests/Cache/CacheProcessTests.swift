#if os(Linux)
    import CoreNetKitFleet
    import TestSupport

    /// `.ci/proofs fleet-cache` has 10 000 steps of eight processes.
    @Suite(
        "Shared responses of several processes, compared with an oracle",
        .timeLimit(.minutes(10)),
        .paced,
        .needsProgram,
        .needsServer
    )
    struct CacheProcessTests {
        private static let steps = TestRounds.count(200)
        private static let processes = TestRounds.processes(4)
        /// Each has steps one after the other; those of different resources are under way at the same time.
        private static let resources = 6

        private struct Tally: Sendable {
            var (found, old, stale, marks) = (0, 0, 0, 0)
            /// From an invalidation to when each other process had heard of it, in nanoseconds.
            var ways: [UInt64] = []

            mutating func add(_ other: Tally) {
                (found, old, stale) = (found + other.found, old + other.old, stale + other.stale)
                marks += other.marks
                ways += other.ways
            }
        }

        @Test(
            "no look-up of a process that has read the report of a change returns what was stored before it",
            arguments: RealServer.programs
        )
        func oracle(_ program: String) async throws {
            let store = try RealServer(program)
            let children = try (0..<Self.processes).map { _ in try FleetChild(["cache", store.path("s")]) }
            for child in children { try #require(await child.line() == "ready") }
            let processes = children.map { NumberedChild($0) }
            let tally = try await concurrently(Self.resources) { try await Self.play(processes, "\($0)", $0) }
                .reduce(into: Tally()) { $0.add($1) }
            #expect(tally.stale == 0)
            #expect(tally.found > Self.steps / 10)
            #expect(tally.marks > Self.steps / 50)
            let ways = tally.ways.sorted().map { Duration.nanoseconds(Int64($0)) }
            print(
                "cache: \(Self.steps) steps of \(processes.count) processes, \(tally.found) found, \(tally.marks) marks, "
                    + "\(tally.old) old ones before the report was read, \(tally.stale) after that; "
                    + "read after p50 \(ways[ways.count / 2]), p99 \(ways[ways.count * 99 / 100])"
            )
            for process in processes { process.end() }
        }

        /// Steps with one resource, each in a process by chance.
        private static func play(_ processes: [NumberedChild], _ name: String, _ seed: Int) async throws -> Tally {
            var (random, tally) = (SplitMix64(seed: UInt64(seed)), Tally())
            /// How often the resource was changed, which is its content.
            var changes = 0
            var mark = Mark(processes, name, after: [UInt64](repeating: 0, count: processes.count))
            for _ in 0..<steps / resources {
                let place = Int.random(in: processes.indices, using: &random)
                switch Int.random(in: 0..<12, using: &random) {
                case 0:
                    // Of a response that was on its way when its resource changed.
                    let sender = Bool.random(using: &random) ? processes.randomElement(using: &random) : nil
                    if let sender { #expect(try await sender.ask("begin \(name)") == ["begun"]) }
                    // All have heard of the changes so far.
                    let before = try await mark.heard.value
                    tally.ways += mark.ways(before)
                    let start = NumberedChild.now
                    #expect(try await processes[place].ask("mark \(name)") == ["written"])
                    mark = Mark(processes, name, after: before.map(\.generation), by: place, at: start, after: mark)
                    (changes, tally.marks) = (changes + 1, tally.marks + 1)
                    if let sender { _ = try await sender.ask("end \(name) \(changes - 1)") }
                case 1...3:
                    #expect(try await processes[place].ask("begin \(name)") == ["begun"])
                    _ = try await processes[place].ask("end \(name) \(changes)")
                default:
                    let said = try await processes[place].ask("look \(name)")
                    let isHeard = mark.isHeard(by: place, at: said.first.flatMap { UInt64($0) } ?? 0)
                    for text in said.dropFirst() {
                        tally.found += 1
                        guard text != "\(changes)" else { continue }
                        if isHeard { tally.stale += 1 } else { tally.old += 1 }
                    }
                }
            }
            return tally
        }

        /// A change, and what the processes have heard of it.
        private struct Mark: Sendable {
            /// What each had as the generation before it.
            let before: [UInt64]
            let marker: Int?
            private let start: UInt64?
            /// Who hears of its own change for the second time, perhaps later than of this one.
            private let former: Int?
            /// The generation that each has when it has heard, and when it heard, in nanoseconds.
            let heard: Task<[(generation: UInt64, time: UInt64)], any Error>

            init(
                _ processes: [NumberedChild],
                _ name: String,
                after before: [UInt64],
                by marker: Int? = nil,
                at start: UInt64? = nil,
                after former: Mark? = nil
            ) {
                (self.before, self.marker, self.start, self.former) = (before, marker, start, former?.marker)
                heard = Task {
                    var heard: [(UInt64, UInt64)] = []
                    for (process, generation) in zip(processes, before) {
                        let numbers = try await process.ask("heard \(name) \(generation)").compactMap { UInt64($0) }
                        guard numbers.count == 2 else { throw NumberedChild.Ended() }
                        heard.append((numbers[0], numbers[1]))
                    }
                    return heard
                }
            }

            /// Whether a process that has this generation has read the report; a number that no version is says that
            /// something has changed.
            func isHeard(by place: Int, at generation: UInt64) -> Bool {
                generation > before[place] && (generation < 1 << 63 || place != former)
            }

            /// How long the way to each of the others was.
            func ways(_ heard: [(generation: UInt64, time: UInt64)]) -> [UInt64] {
                guard let start else { return [] }
                return heard.indices.filter { $0 != marker && $0 != former }
                    .map { heard[$0].time > start ? heard[$0].time - start : 0 }
            }
        }
    }
#endif
