import CoreNetKitSystem
import Foundation

@testable import CoreNetKitOutbox

/// A clock on which sleepers wake at once: waits of hours cost nothing, and are recorded.
final class TestTime: Sendable {
    private struct State: Sendable {
        var now: Duration = .zero
        var reads = 0
        var wall: Double = 1_800_000_000
        var boot: UInt64 = 1
    }

    private let state = Locked(State())
    private let watcher = Locked<(@Sendable () -> Void)?>(nil)

    /// Calls whenever somebody begins to sleep.
    func onSleep(_ watch: (@Sendable () -> Void)?) { watcher.withLock { $0 = watch } }

    var now: Duration { state.withLock { $0.now } }

    /// How often the time was read: each check of a queue does that.
    var reads: Int { state.withLock { $0.reads } }

    var date: Date { state.withLock { Date(timeIntervalSince1970: $0.wall) } }

    /// Advances both times.
    func advance(by duration: Duration) {
        state.withLock { state in
            state.now += duration
            state.wall += duration / .seconds(1)
        }
    }

    private var moment: WallMoment {
        let (now, wall, boot) = state.withLock { ($0.now, $0.wall, $0.boot) }
        return WallMoment(
            wall: Date(timeIntervalSince1970: wall).milliseconds,
            steady: now.wholeMilliseconds,
            boot: boot
        )
    }

    /// Reboots the machine: its clocks start at zero, except the wall clock.
    func reboot() {
        state.withLock { state in
            state.now = .zero
            state.boot += 1
        }
    }

    /// Sets only the wall clock.
    func stepWall(by seconds: Double) { state.withLock { $0.wall += seconds } }

    var time: OutboxTime {
        OutboxTime(
            moment: { self.moment },
            monotonic: {
                self.state.withLock { state in
                    state.reads += 1
                    return state.now
                }
            },
            sleep: { until in
                try Task.checkCancellation()
                self.watcher.withLock({ $0 })?()
                self.advance(by: max(until - self.now, .zero))
            }
        )
    }
}
