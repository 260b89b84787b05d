package import CoreNetKitSystem

/// An instant on two clocks: the wall clock, and a monotonic one that counts sleep.
///
/// Within one boot of the machine only the monotonic one is used, so that setting the clock changes no age. Between boots
/// there is only the wall clock; if it went backwards, the age is unknown.
public struct CacheTime: Sendable, Hashable {
    /// The underlying instant.
    package let moment: WallMoment

    /// Milliseconds since 1970.
    public var wall: Int64 { moment.wall }
    /// Milliseconds of a monotonic clock, comparable within one run.
    public var steady: Int64 { moment.steady }
    /// The run of the monotonic clock: by default the start of the machine; 0 if it is unknown.
    public var run: UInt64 { moment.boot }

    package init(_ moment: WallMoment) { self.moment = moment }

    /// Creates an instant.
    ///
    /// - Parameters:
    ///   - wall: Milliseconds since 1970.
    ///   - steady: Milliseconds of a monotonic clock.
    ///   - run: A number that is equal for instants whose monotonic clocks are comparable; 0 compares with none.
    public init(wall: Int64, steady: Int64, run: UInt64) {
        moment = WallMoment(wall: wall, steady: steady, boot: run)
    }

    /// The milliseconds from an earlier instant to this one; `nil` if the clock went backwards.
    package func elapsed(since earlier: CacheTime) -> Int64? { moment.elapsed(since: earlier.moment) }

    /// Whether this instant is known to be after another one: both are of one run.
    package func follows(_ other: CacheTime) -> Bool { run != 0 && run == other.run && steady > other.steady }
}
