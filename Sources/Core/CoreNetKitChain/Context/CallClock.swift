package import CoreNetKitEssentials
package import CoreNetKitSystem

/// The clock for deadlines, back-off and limits: any clock, with its instants as durations.
public struct CallClock: Sendable {
    /// A single reference, because each call copies the clock.
    private final class Wrapped: Sendable {
        let read: @Sendable () -> Duration
        let readNanoseconds: @Sendable () -> Int64
        let wait: @Sendable (Duration) async throws -> Void
        let isReal: Bool

        init(
            _ read: @escaping @Sendable () -> Duration,
            nanoseconds: @escaping @Sendable () -> Int64,
            wait: @escaping @Sendable (Duration) async throws -> Void,
            isReal: Bool
        ) {
            self.read = read
            readNanoseconds = nanoseconds
            self.wait = wait
            self.isReal = isReal
        }
    }

    private let wrapped: Wrapped

    /// Whether time passes by itself; test clocks count sleeping tasks.
    var isReal: Bool { wrapped.isReal }

    /// Whether both are copies of one clock, so that their times are comparable.
    func isSame(as other: CallClock) -> Bool { wrapped === other.wrapped }

    /// The machine's own monotonic clock.
    public static let continuous = CallClock(ContinuousClock())

    /// Wraps a clock; tests pass a manual one.
    public init<Base: Clock>(_ clock: Base) where Base.Duration == Duration {
        let origin = clock.now
        wrapped = Wrapped(
            { origin.duration(to: clock.now) },
            nanoseconds: Self.nanoseconds(of: clock, since: origin),
            wait: { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) },
            isReal: Base.self == ContinuousClock.self || Base.self == SuspendingClock.self
        )
    }

    private static func nanoseconds<Base: Clock>(
        of clock: Base,
        since origin: Base.Instant
    ) -> @Sendable () -> Int64 where Base.Duration == Duration {
        #if canImport(Glibc)
            // A record reads the clock at each event, and two machine words are cheaper than 128-bit arithmetic.
            if Base.self == ContinuousClock.self {
                let start = bootTime
                return { bootTime &- start }
            }
        #endif
        return { origin.duration(to: clock.now).wholeNanoseconds }
    }

    /// The time since the clock was wrapped.
    public var now: Duration { wrapped.read() }

    /// The same in nanoseconds, for records and measurements.
    package var nanoseconds: Int64 { wrapped.readNanoseconds() }

    #if canImport(Glibc)
        /// The clock of `ContinuousClock` on Linux.
        private static var bootTime: Int64 {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        }
    #endif

    /// A time of this clock, a duration from now; any duration is accepted.
    package func time(after length: Duration) -> Duration { now + length.bounded }

    /// Moments that stay valid in later processes: those of the machine, if this is the machine's clock; any other clock
    /// counts as a boot of its own.
    package func moments(
        at date: @escaping @Sendable () -> Date,
        bootID: UInt64 = .random(in: 1 ... .max)
    ) -> @Sendable () -> WallMoment {
        if isReal { return { .machine(at: date()) } }
        return { WallMoment(wall: date().milliseconds, steady: now.wholeMilliseconds, bootID: bootID) }
    }

    /// Waits for a time of this clock, in terms of ``now``; ends with a `CancellationError` when the task is cancelled.
    ///
    /// A past time returns at once, and a time more than a hundred years away never comes.
    public func sleep(until time: Duration) async throws {
        // Clocks trap on values beyond their system's range.
        try await wrapped.wait(max(min(time, now + .forever), .zero - .forever))
    }
}
