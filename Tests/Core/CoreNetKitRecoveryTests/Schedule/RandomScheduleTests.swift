import TestSupport

/// `.ci/proofs schedules` tries ten thousand.
@Suite("Random schedules", .timeLimit(.minutes(10)), .paced)
struct RandomScheduleTests {
    private static let seeds = TestRounds.seeds(100)
    private static let shards = 4

    @Test("keep every promise of the policies, in any possible order", arguments: 0..<shards)
    func anyOrder(shard: Int) async {
        for seed in stride(from: Self.seeds.lowerBound + shard, to: Self.seeds.upperBound, by: Self.shards) {
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
