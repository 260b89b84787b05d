import Foundation
import TestPace
import Testing
import TestSupport

/// Each feature of a call, without the services: more calls at once, refreshes that fail for good, second requests, calls that
/// wait for a place or a slot, and an open circuit.
///
/// With everything else that keeps something they are in the schedule of the push services' tests.
/// `.ci/proofs sessions` tries 150.
@Suite("Whose call it is", .timeLimit(.minutes(10)), .paced)
struct SessionScheduleTests {
    private static let seeds = TestRounds.seeds(10)

    @Test(
        "no user sees another's data, no running call crosses a session, and each call is reported once",
        arguments: 0..<2
    )
    func anyOrder(shard: Int) async {
        var sum = VisitRecord.Counts()
        var policies = SessionViews.Policies()
        for seed in stride(from: Self.seeds.lowerBound + shard, to: Self.seeds.upperBound, by: 2) {
            let world = SessionWorld(seed: UInt64(seed))
            let problems = await world.run()
            #expect(problems == [], "seed \(seed)")
            sum.add(world.record.counts)
            policies.add(world.views.policies)
        }
        // A schedule in which nothing happens proves nothing; few seeds may lack what is rare.
        let least = [sum.responses / 4, sum.ended * 4, sum.shared * 20, sum.stored * 10, sum.renewals * 10].min() ?? 0
        #expect(Self.seeds.count < 100 || least > 0, "\(sum)")
        let rarest = [policies.places, policies.slots, policies.hedges, policies.refusals].min() ?? 0
        #expect(Self.seeds.count < 100 || rarest > 0, "\(policies)")
    }
}
