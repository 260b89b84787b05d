import CoreNetKitSystem
import TestPace

@Suite("A value in a lock", .timeLimit(.minutes(10)), .paced)
struct LockedTests {
    @Test("a function that was read often is called as if it were new, without optimization, too")
    func function() {
        let function = Locked<(@Sendable (Int) -> Int)?>({ $0 + 1 })
        for _ in 0..<300_000 where function.value == nil { Issue.record("lost") }
        #expect(function.value?(1) == 2)
    }
}
