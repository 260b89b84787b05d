import CoreNetKitOutbox
import IDPushService
import TestSupport

/// Everything that stores something for users at once.
///
/// Tokens, shared exchanges, cache and jar with their files, outbox, two push services, lists of alarms.
/// `TEST_ROUNDS=10000 swift test --filter SharedPhoneTests` tries that many, in nine minutes on two free cores;
/// `TEST_SEED=180` starts there.
@Suite("Several users of one device", .timeLimit(.minutes(10)), .paced)
struct SharedPhoneTests {
    private static let seeds = TestRounds.seeds(4, from: 1)

    private func run(_ seed: Int) async throws -> VisitRecord.Counts {
        let schedule = try SharedSchedule(seed: UInt64(seed))
        let phone = schedule.phone
        _ = try await schedule.app.push.perform(.addDevice(token: Phone.token))
        phone.state.withLock { $0.isFaulty = true }
        for _ in 0..<30 { try await schedule.step() }
        await schedule.rest()
        phone.state.withLock { $0.isFaulty = false }
        try await schedule.check("seed \(seed)")
        // Each user comes back, and what was kept is sent.
        for user in SharedPhone.users {
            try await schedule.logout(isKeeping: true, parks: true)
            await schedule.login(user)
            await schedule.rest()
            for page in ["a", "b", "c"] { await schedule.app.look(at: page) }
            try await schedule.app.outbox.drain(with: schedule.app.client)
        }
        try await schedule.check("seed \(seed) at the end")
        let comments = phone.comments
        for text in schedule.kept {
            #expect(comments.count { $0 == text } == 1, "seed \(seed): \(text) \(schedule.log)")
        }
        #expect(phone.record.problems == [], "seed \(seed) \(schedule.log)")
        #expect(await schedule.app.outbox.state.deadLetters.isEmpty, "seed \(seed)")
        return phone.record.counts
    }

    @Test("no user's data is seen or sent by another, and nothing running crosses a login", arguments: 0..<2)
    func schedules(shard: Int) async throws {
        var sum = VisitRecord.Counts()
        for seed in stride(from: Self.seeds.lowerBound + shard, to: Self.seeds.upperBound, by: 2) {
            sum.add(try await run(seed))
        }
        // A schedule in which nothing happens proves nothing.
        let counts = [sum.responses / 4, sum.ended * 4, sum.shared * 20, sum.stored * 10, sum.renewals * 10, sum.sent]
        #expect(Self.seeds.count < 50 || counts.min() ?? 0 > 0, "\(sum)")
    }
}
