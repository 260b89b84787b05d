@testable import CoreNetKitFleet
import CoreNetKitSharedStore
import TestPace
import Testing

@Suite("When a process asks for tokens, and for how many", .timeLimit(.minutes(10)), .paced)
struct RateAskingTests {
    private func question(_ asking: RateAsking, callers: Int = 9, at now: Duration = .zero) -> RateAsking.Question {
        asking.question(for: callers, size: 1, burst: 5, at: now)
    }

    @Test("more at once only while there are enough, up to the burst and to the callers")
    func many() {
        var asking = RateAsking()
        asking.comes(first: true, with: .seconds(5))
        var tokens: [Int] = []
        for _ in 0..<4 {
            let asked = question(asking)
            tokens.append(asked.tokens)
            #expect(asked.longestWait == (asked.tokens > 1 ? .zero : .seconds(5)))
            asking.received(.granted(after: .zero), to: asked, due: .zero, at: .zero)
        }
        #expect(tokens == [1, 2, 4, 5])
        #expect(question(asking, callers: 3).tokens == 3)
        asking.received(.refused(for: .seconds(1)), to: question(asking), due: .zero, at: .zero)
        #expect(question(asking).tokens == 1)
        // That there are not so many says nothing about one.
        #expect(asking.over(at: .zero) == nil)
    }

    @Test(
        "the next place when the last one comes, as much earlier as the last reply was late, at most 20 ms",
        arguments: [0, 5, 90]
    )
    func next(late: Int) {
        var asking = RateAsking()
        asking.comes(first: true, with: nil)
        let now = Duration.milliseconds(late)
        asking.received(.granted(after: .milliseconds(160)), to: question(asking), due: .zero, at: now)
        #expect(asking.over(at: now) == .milliseconds(160))
        #expect(question(asking, at: now).time == now + .milliseconds(160 - min(late, 20)))
        #expect(question(asking, at: now + .milliseconds(160)).time == nil)
        asking.failed()
        #expect(question(asking, at: now).time == nil)
    }

    @Test("there are late callers until those with such a deadline have gone")
    func late() {
        var asking = RateAsking()
        for (first, deadline) in [(true, nil), (false, 9), (false, 3)] as [(Bool, Int?)] {
            asking.comes(first: first, with: deadline.map { .seconds($0) })
        }
        asking.received(.refused(for: .seconds(5)), to: question(asking), due: .zero, at: .zero)
        #expect(asking.hasLate(at: .seconds(4)) && !asking.hasLate(at: .seconds(5)))
        asking.stay([.seconds(5), nil])
        #expect(asking.hasLate(at: .zero))
        asking.stay([.seconds(6), nil])
        #expect(!asking.hasLate(at: .zero))
        asking.stay([])
        #expect(!asking.hasLate(at: .zero))
    }

    @Test("after a refusal again as soon as one may wait that long")
    func refused() {
        var asking = RateAsking()
        asking.comes(first: true, with: .seconds(1))
        asking.received(.refused(for: .seconds(9)), to: question(asking), due: .zero, at: .zero)
        #expect(asking.over(at: .seconds(2)) == .seconds(7))
        #expect(asking.hasLate(at: .zero))
        asking.comes(first: true, with: .seconds(20))
        #expect(question(asking, at: .seconds(2)).time == nil)
        #expect(!asking.hasLate(at: .seconds(2)))
        asking.received(.refused(for: .seconds(200_000)), to: question(asking), due: .zero, at: .zero)
        asking.comes(first: true, with: nil)
        // A bucket allows a day.
        #expect(question(asking).time == .seconds(200_000 - 86_400))
    }
}
