package import CoreNetKitSystem

/// An instant on two clocks: the wall clock, and a monotonic one that counts sleep.
///
/// Within one boot of the machine only the second one is used, so a clock that is set back or forward changes no age.
/// Between boots there is only the wall clock; if it went backwards, the age is unknown.
public struct CacheTime: Sendable, Hashable {
    /// The rules of such instants.
    package let moment: WallMoment

    /// Milliseconds since 1970.
    public var wall: Int64 { moment.wall }
    /// Milliseconds of a clock that only goes forward, comparable within one run.
    public var steady: Int64 { moment.steady }
    /// Which run the steady clock belongs to: by default the start of the machine; 0 where it is not known.
    public var run: UInt64 { moment.boot }

    package init(_ moment: WallMoment) { self.moment = moment }

    /// Creates an instant.
    ///
    /// - Parameters:
    ///   - wall: Milliseconds since 1970.
    ///   - steady: Milliseconds of a clock that only goes forward.
    ///   - run: A number that is the same for instants whose steady clocks can be compared; 0 compares with none.
    public init(wall: Int64, steady: Int64, run: UInt64) {
        moment = WallMoment(wall: wall, steady: steady, boot: run)
    }

    /// The milliseconds from an earlier instant to this one; `nil` where the clock went backwards.
    package func elapsed(since earlier: CacheTime) -> Int64? { moment.elapsed(since: earlier.moment) }

    /// Whether this instant is known to lie after another one: both are of one run.
    package func follows(_ other: CacheTime) -> Bool { run != 0 && run == other.run && steady > other.steady }
}
