import CoreNetKitSystem
import TestPace

@Suite("Moments that outlive a process", .timeLimit(.minutes(10)), .paced)
struct WallMomentTests {
    private static let second: Int64 = 1000
    private static let day: Int64 = 86_400_000
    private static let steps: [Int64] = [-3650 * day, -day, -500, day, 3650 * day]
    private static let start = WallMoment(wall: 1_800_000_000_000, steady: 5_000_000, bootID: 7)

    /// A moment so much later, after somebody has set the clock.
    private func later(_ time: Int64, step: Int64, boot: UInt64) -> WallMoment {
        let steady = boot == 7 ? Self.start.steady + time : time
        return WallMoment(wall: Self.start.wall + time + step, steady: steady, bootID: boot)
    }

    @Test("within one boot no clock step changes an age", arguments: steps)
    func sameBoot(step: Int64) {
        let now = later(90 * Self.second, step: step, boot: 7)
        #expect(now.elapsed(since: Self.start) == 90_000)
        #expect(now.hasElapsed(60_000, since: Self.start) == .yes)
        #expect(now.hasElapsed(90_001, since: Self.start) == .no)
        #expect(Self.start.precedes(now, at: now))
        #expect(!now.precedes(Self.start, at: now))
    }

    @Test(
        "across boots the wall clock counts, and a negative age is unknown",
        arguments: zip(
            steps,
            [
                .unknown(60_000), .unknown(60_000), .unknown(490), .yes, .yes,
            ] as [WallMoment.ElapsedState]
        )
    )
    func otherBoot(step: Int64, hour: WallMoment.ElapsedState) {
        let now = later(10, step: step, boot: 8)
        #expect(now.hasElapsed(3_600_000, since: Self.start) == hour)
        #expect(now.elapsed(since: Self.start) == (step < 0 ? nil : step + 10))
        // The present start is the later one, whatever the clock says.
        #expect(Self.start.precedes(now, at: now))
        #expect(!now.precedes(Self.start, at: now))
        // Where both are over there is the wall's clock alone.
        let present = WallMoment(wall: 0, steady: 0, bootID: 9)
        #expect(Self.start.precedes(now, at: present) == (step + 10 > 0))
    }

    @Test("an unknown age becomes known when the clock passes the stored moment, or the whole length has passed here")
    func ends() {
        let now = later(0, step: -Self.day, boot: 8)
        #expect(now.hasElapsed(3_600_000, since: Self.start, watched: 3_590_000) == .unknown(10_000))
        #expect(now.hasElapsed(3_600_000, since: Self.start, watched: 3_600_000) == .yes)
        #expect(later(0, step: 0, boot: 8).hasElapsed(3_600_000, since: Self.start) == .no)
    }

    @Test("a moment with only the wall clock's time is compared by that")
    func withoutBoot() {
        let old = WallMoment(wall: Self.start.wall)
        #expect(Self.start.elapsed(since: old) == 0)
        #expect(WallMoment(wall: old.wall + 5).elapsed(since: old) == 5)
        #expect(WallMoment(wall: old.wall - 5).elapsed(since: old) == nil)
    }

    @Test("no number traps")
    func extremes() {
        let numbers: [Int64] = [.min, -1, 0, 1, .max]
        for wall in numbers {
            for steady in numbers {
                for boot in [0, 7, 8] as [UInt64] {
                    let moment = WallMoment(wall: wall, steady: steady, bootID: boot)
                    for length in numbers {
                        for watched in [0, 1, .max] as [Int64] {
                            let there = moment.hasElapsed(length, since: Self.start, watched: watched)
                            let back = Self.start.hasElapsed(length, since: moment, watched: watched)
                            for case .unknown(let pause) in [there, back] { #expect((1...60_000).contains(pause)) }
                        }
                    }
                }
            }
        }
        for seconds in [-Double.infinity, -1e300, 0, 1e300, .infinity, .nan] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(abs(date.milliseconds) <= 100_000_000_000_000_000)
            #expect(date.duration(since: Date(timeIntervalSince1970: 0)) >= .zero)
            #expect(Date(timeIntervalSince1970: 0).duration(since: date) <= .forever)
        }
    }

    @Test("the machine's moments go forward, and belong to one boot, whatever the date")
    func machine() {
        let first = WallMoment.machine(at: Date(timeIntervalSince1970: 100))
        let second = WallMoment.machine(at: Date(timeIntervalSince1970: 0))
        #expect(first.wall == 100_000 && second.wall == 0)
        #expect(first.bootID == second.bootID && first.bootID != 0)
        #expect(first.steady > 0)
        #expect(second.elapsed(since: first) ?? -1 >= 0)
    }
}
