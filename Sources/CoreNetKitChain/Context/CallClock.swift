/// The time that deadlines, back-off and limits go by: any clock, with its instants as durations.
public struct CallClock: Sendable {
    private let read: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Whether time goes by itself, so that nobody counts who sleeps.
    let isReal: Bool

    /// The machine's own monotonic clock.
    public static let continuous = CallClock(ContinuousClock())

    /// Wraps a clock; tests pass a manual one.
    public init<Base: Clock>(_ clock: Base) where Base.Duration == Duration {
        let origin = clock.now
        isReal = Base.self == ContinuousClock.self || Base.self == SuspendingClock.self
        read = { origin.duration(to: clock.now) }
        wait = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
    }

    /// The time since the clock was wrapped.
    public var now: Duration { read() }

    /// Waits for a time of this clock.
    ///
    /// - Parameter time: The time to wake up at, as ``now`` tells it; a past one returns at once.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until time: Duration) async throws {
        try await wait(time)
    }
}
