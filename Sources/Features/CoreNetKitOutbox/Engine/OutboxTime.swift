import CoreNetKitEssentials
import CoreNetKitChain
import CoreNetKitSystem

/// The two clocks of an outbox: wall moments for what is stored, a monotonic one for waits.
struct OutboxTime: Sendable {
    let date: @Sendable () -> Date
    let moment: @Sendable () -> WallMoment
    /// The time since a fixed start, before anything was read; never goes back.
    let monotonic: @Sendable () -> Duration
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    init(clock: some Clock<Duration>, date: @escaping @Sendable () -> Date) {
        let clock = CallClock(clock)
        self.date = date
        moment = clock.moments(at: date)
        monotonic = { clock.now }
        sleep = { try await clock.sleep(until: $0) }
    }

    init(
        moment: @escaping @Sendable () -> WallMoment,
        monotonic: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        date = { Date(milliseconds: moment().wall) }
        (self.moment, self.monotonic, self.sleep) = (moment, monotonic, sleep)
    }

    static let real = OutboxTime(clock: ContinuousClock(), date: { Date() })

    /// Milliseconds since 1970.
    var wall: Int64 { moment().wall }

    /// Whether so many milliseconds have passed since a moment that is known at the latest since the start.
    func passed(_ length: Int64, since moment: WallMoment) -> WallMoment.Passed {
        self.moment().passed(length, since: moment, watched: monotonic().wholeMilliseconds)
    }
}
