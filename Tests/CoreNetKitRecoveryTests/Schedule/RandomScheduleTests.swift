import Testing

@Suite("10 000 random schedules", .timeLimit(.minutes(2)))
struct RandomScheduleTests {
    private static let seeds = 10_000
    private static let shards = 4

    @Test("keep every promise of the policies, in any order of what can run", arguments: 0..<shards)
    func anyOrder(shard: Int) async {
        for seed in stride(from: shard, to: Self.seeds, by: Self.shards) {
            let problems = RandomWorld(seed: UInt64(seed)).run()
            #expect(problems == [], "seed \(seed)")
            // Other tests wait for this thread.
            await Task.yield()
        }
    }

    @Test("keep them on many threads too")
    func manyThreads() async {
        for seed in 0..<100 {
            let problems = RandomWorld(seed: UInt64(seed), isThreaded: true).run()
            #expect(problems == [], "seed \(seed)")
            await Task.yield()
        }
    }
}
