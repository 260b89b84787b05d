import CoreNetKitChain
import CoreNetKitMock
import CoreNetKitSystem
import TestPace
import Testing

@Suite("One sleeper for all waiting timers", .timeLimit(.minutes(10)), .paced)
struct TimerQueueTests {
    @Test(
        "fires in the order of the times, and for one time in the order of arrival",
        arguments: 0..<20 as Range<UInt64>
    )
    func order(seed: UInt64) async {
        var dice = SplitMix64(seed: seed)
        let clock = ManualClock()
        let timers = TimerQueue(CallClock(clock))
        let fired = Locked<[Int]>([])
        var times: [Int] = []
        var ids: [TimerQueue.TimerID] = []
        for number in 0..<40 {
            times.append(Int.random(in: 1...12, using: &dice))
            ids.append(timers.set(at: .seconds(times[number])) { fired.withLock { $0.append(number) } })
        }
        let gone = (0..<40).filter { _ in Int.random(in: 0..<3, using: &dice) == 0 }
        for number in gone { timers.cancel(ids[number]) }
        let expected = (0..<40).filter { !gone.contains($0) }.sorted { (times[$0], $0) < (times[$1], $1) }
        for second in 1...12 {
            clock.advance(by: .seconds(1))
            let count = expected.count { times[$0] <= second }
            while fired.withLock({ $0.count }) < count { await Task.yield() }
        }
        #expect(fired.withLock { $0 } == expected)
        timers.cancel(ids[0])
    }
}
