#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The two times of an outbox: the wall's for what is stored, a monotonic one for waits.
struct OutboxTime: Sendable {
    let date: @Sendable () -> Date
    /// Since some beginning; never goes back.
    let monotonic: @Sendable () -> Duration
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    init(clock: some Clock<Duration>, date: @escaping @Sendable () -> Date) {
        let start = clock.now
        self.date = date
        monotonic = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    init(
        date: @escaping @Sendable () -> Date,
        monotonic: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.date, self.monotonic, self.sleep) = (date, monotonic, sleep)
    }

    static let real = OutboxTime(clock: ContinuousClock(), date: { Date() })

    /// Milliseconds since 1970.
    var wall: Int64 { date().milliseconds }
}

extension Date {
    var milliseconds: Int64 {
        let value = timeIntervalSince1970 * 1000
        return value.isFinite ? Int64(min(max(value, -1e17), 1e17)) : 0
    }

    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
