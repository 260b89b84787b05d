import TestSupport

@testable import CoreNetKitFleet

@Suite("When a process asks for tokens, and for how many", .timeLimit(.minutes(10)), .paced)
struct RateRequestPlanTests {
    private func tokenRequest(_ plan: RateRequestPlan, callers: Int = 9, at now: Duration = .zero)
        -> RateRequestPlan.TokenRequest
    {
        plan.tokenRequest(for: callers, size: 1, burst: 5, at: now)
    }

    @Test("more at once only while there are enough, up to the burst and to the callers")
    func many() {
        var plan = RateRequestPlan()
        plan.addCaller(isFirst: true, deadline: .seconds(5))
        var tokens: [Int] = []
        for _ in 0..<4 {
            let asked = tokenRequest(plan)
            tokens.append(asked.tokens)
            #expect(asked.longestWait == (asked.tokens > 1 ? .zero : .seconds(5)))
            plan.received(.granted(after: .zero), to: asked, due: .zero, at: .zero)
        }
        #expect(tokens == [1, 2, 4, 5])
        #expect(tokenRequest(plan, callers: 3).tokens == 3)
        plan.received(.refused(for: .seconds(1)), to: tokenRequest(plan), due: .zero, at: .zero)
        #expect(tokenRequest(plan).tokens == 1)
        // That there are not so many says nothing about one.
        #expect(plan.remainingWait(at: .zero) == nil)
    }

    @Test("the next place when the last one comes, earlier by the last delay, at most 20 ms", arguments: [0, 5, 90])
    func next(late: Int) {
        var plan = RateRequestPlan()
        plan.addCaller(isFirst: true, deadline: nil)
        let now = Duration.milliseconds(late)
        plan.received(.granted(after: .milliseconds(160)), to: tokenRequest(plan), due: .zero, at: now)
        #expect(plan.remainingWait(at: now) == .milliseconds(160))
        #expect(tokenRequest(plan, at: now).time == now + .milliseconds(160 - min(late, 20)))
        #expect(tokenRequest(plan, at: now + .milliseconds(160)).time == nil)
        plan.failed()
        #expect(tokenRequest(plan, at: now).time == nil)
    }

    @Test("there are late callers until those with such a deadline have gone")
    func late() {
        var plan = RateRequestPlan()
        for (first, deadline) in [(true, nil), (false, 9), (false, 3)] as [(Bool, Int?)] {
            plan.addCaller(isFirst: first, deadline: deadline.map { .seconds($0) })
        }
        plan.received(.refused(for: .seconds(5)), to: tokenRequest(plan), due: .zero, at: .zero)
        #expect(plan.mayMissDeadline(at: .seconds(4)) && !plan.mayMissDeadline(at: .seconds(5)))
        plan.keepDeadlines([.seconds(5), nil])
        #expect(plan.mayMissDeadline(at: .zero))
        plan.keepDeadlines([.seconds(6), nil])
        #expect(!plan.mayMissDeadline(at: .zero))
        plan.keepDeadlines([])
        #expect(!plan.mayMissDeadline(at: .zero))
    }

    @Test("after a refusal again as soon as one may wait that long")
    func refused() {
        var plan = RateRequestPlan()
        plan.addCaller(isFirst: true, deadline: .seconds(1))
        plan.received(.refused(for: .seconds(9)), to: tokenRequest(plan), due: .zero, at: .zero)
        #expect(plan.remainingWait(at: .seconds(2)) == .seconds(7))
        #expect(plan.mayMissDeadline(at: .zero))
        plan.addCaller(isFirst: true, deadline: .seconds(20))
        #expect(tokenRequest(plan, at: .seconds(2)).time == nil)
        #expect(!plan.mayMissDeadline(at: .seconds(2)))
        plan.received(.refused(for: .seconds(200_000)), to: tokenRequest(plan), due: .zero, at: .zero)
        plan.addCaller(isFirst: true, deadline: nil)
        // A bucket allows a day.
        #expect(tokenRequest(plan).time == .seconds(200_000 - 86_400))
    }
}

@Suite("Tokens that a process has taken and not used", .timeLimit(.minutes(10)), .paced)
struct TokenReserveTests {
    private static let table: [(now: Duration, count: Int)] = [
        (.zero, 5), (.milliseconds(1), 5), (.milliseconds(100), 5), (.milliseconds(101), 2), (.seconds(9), 2),
    ]

    @Test("stay beside new ones for 100 ms", arguments: table)
    func kept(now: Duration, count: Int) {
        var hand = TokenReserve()
        hand.keep(3, ready: .zero, at: .zero)
        hand.keep(2, ready: now, at: now)
        #expect(hand.count == count)
        for _ in 0..<count { #expect(hand.take(at: now) == now) }
        #expect(hand.take(at: now) == nil)
    }

    @Test("are used for 100 ms, and not after that", arguments: [0, 1, 100, 101])
    func taken(age: Int) {
        var hand = TokenReserve()
        hand.keep(2, ready: .seconds(1), at: .zero)
        let now = Duration.seconds(1) + .milliseconds(age)
        #expect(hand.take(at: now) == (age > 100 ? nil : .seconds(1)))
        #expect(hand.count == (age > 100 ? 0 : 1))
    }

    @Test("may be used when the last of them may be")
    func ready() {
        var hand = TokenReserve()
        hand.keep(1, ready: .milliseconds(50), at: .zero)
        hand.keep(1, ready: .milliseconds(20), at: .zero)
        hand.keep(0, ready: .seconds(7), at: .zero)
        #expect(hand.take(at: .zero) == .milliseconds(50))
        #expect(hand.take(at: .zero) == .milliseconds(50))
        hand.keep(1, ready: .milliseconds(20), at: .zero)
        #expect(hand.take(at: .zero) == .milliseconds(20))
    }
}
