import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

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
        for seed in stride(from: shard, to: 48, by: 8) {
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
