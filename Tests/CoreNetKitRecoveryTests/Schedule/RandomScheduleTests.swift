import CoreNetKit
import CoreNetKitMock
import Foundation
import Testing

@Suite("10 000 random schedules", .timeLimit(.minutes(2)))
struct RandomScheduleTests {
    private static let seeds = 10_000
    private static let shards = 4

    @Test(
        "each call ends once, attempts and refreshes stay in their bounds, nothing is left waiting",
        arguments: 0..<shards
    )
    func invariants(shard: Int) async throws {
        let url = try #require(URL(string: host))
        for seed in stride(from: shard, to: Self.seeds, by: Self.shards) {
            let problems = try await RandomWorld(seed: UInt64(seed)).run(url)
            #expect(problems == [], "seed \(seed)")
        }
    }
}
