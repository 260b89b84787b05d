/// A time in which whoever sleeps finds the time come at once: waits of hours cost nothing.
package final class SkippingClock: Clock, Sendable {
    package typealias Instant = ManualClock.Instant

    private let time: Locked<Duration>
    private let watcher = Locked<(@Sendable () -> Void)?>(nil)

    /// Begins at a time.
    package init(at start: Duration = .zero) { time = Locked(start) }

    package var now: Instant { Instant(offset: time.withLock { $0 }) }

    package var minimumResolution: Duration { .zero }

    /// The time of day that goes with it.
    package var date: Date { Date(timeIntervalSince1970: 1_800_000_000 + time.withLock { $0 / .seconds(1) }) }

    /// Calls whenever somebody begins to sleep.
    package func onSleep(_ watch: (@Sendable () -> Void)?) { watcher.withLock { $0 = watch } }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        watcher.value?()
        time.withLock { $0 = max($0, deadline.offset) }
        await Task.yield()
    }
}
