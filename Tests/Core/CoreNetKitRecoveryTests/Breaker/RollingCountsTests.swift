import TestPace
import Testing

@testable import CoreNetKitRecovery

@Suite("Counts over a sliding window", .paced)
struct RollingCountsTests {
    @Test("each counts for the whole window, and for at most a tenth beyond")
    func stretch() {
        for second in 0..<30 {
            var counts = RollingCounts(over: .seconds(10))
            counts.addFirst(at: .zero)
            counts.addFirst(at: .seconds(second))
            counts.addSecond(at: .seconds(second))
            for later in 0...9 {
                counts.move(to: .seconds(second + later))
                #expect(counts.secondSum == 1)
                // A slot of one second holds the counts within it.
                if second + later < 10 { #expect(counts.firstSum == 2) }
            }
            counts.move(to: .seconds(second + 11))
            #expect(counts.firstSum == 0 && counts.secondSum == 0)
        }
    }

    @Test("a clock that goes back, or far ahead, loses and adds nothing")
    func jumps() {
        var counts = RollingCounts(over: .seconds(10))
        counts.addFirst(at: .seconds(100))
        counts.addFirst(at: .seconds(50))
        #expect(counts.firstSum == 2)
        counts.addFirst(at: .seconds(1_000_000_000))
        #expect(counts.firstSum == 1)
        counts.move(to: .seconds(1_000_000_009))
        #expect(counts.firstSum == 1)
    }
}
