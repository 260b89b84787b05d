import Foundation
import TestPace
import Testing

/// `RANDOM_SEEDS=10000 swift test --filter RandomScheduleTests` tries that many, as CI does.
@Suite("Random schedules", .timeLimit(.minutes(10)), .paced)
struct RandomScheduleTests {
    private static let seeds = ProcessInfo.processInfo.environment["RANDOM_SEEDS"].flatMap { Int($0) } ?? 300
    private static let shards = 4

    @Test("keep every promise of the policies, in any possible order", arguments: 0..<shards)
    func anyOrder(shard: Int) async {
        for seed in stride(from: shard, to: Self.seeds, by: Self.shards) {
            let problems = RandomWorld(seed: UInt64(seed)).run()
            #expect(problems == [], "seed \(seed)")
            // Other tests need this thread.
            await Task.yield()
        }
    }

    @Test("keep them on many threads too")
    func manyThreads() async {
        for seed in 0..<30 {
            let problems = RandomWorld(seed: UInt64(seed), isThreaded: true).run()
            #expect(problems == [], "seed \(seed)")
            await Task.yield()
        }
    }
}
