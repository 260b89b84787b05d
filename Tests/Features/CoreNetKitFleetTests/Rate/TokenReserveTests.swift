import CoreNetKitFleet
import TestPace
import Testing

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
