import CoreNetKitSystem
import Foundation

@testable import CoreNetKitOutbox

/// A time in which whoever sleeps finds the time come at once: waits of hours cost nothing, and are seen.
final class TestTime: Sendable {
    private struct State: Sendable {
        var now: Duration = .zero
        var wall: Double = 1_800_000_000
    }

    private let state = Locked(State())
    private let watcher = Locked<(@Sendable () -> Void)?>(nil)

    /// Calls whenever somebody begins to sleep.
    func onSleep(_ watch: (@Sendable () -> Void)?) { watcher.withLock { $0 = watch } }

    var now: Duration { state.withLock { $0.now } }

    var date: Date { state.withLock { Date(timeIntervalSince1970: $0.wall) } }

    /// Moves both times.
    func advance(by duration: Duration) {
        state.withLock { state in
            state.now += duration
            state.wall += duration / .seconds(1)
        }
    }

    /// Sets the wall's clock alone.
    func stepWall(by seconds: Double) { state.withLock { $0.wall += seconds } }

    var time: OutboxTime {
        OutboxTime(
            date: { self.date },
            monotonic: { self.now },
            sleep: { until in
                try Task.checkCancellation()
                self.watcher.withLock({ $0 })?()
                self.advance(by: max(until - self.now, .zero))
            }
        )
    }
}
