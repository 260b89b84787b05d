/// An instant on two clocks: the wall's, and one that is never set and counts sleep.
///
/// Within one run of a program only the second one is asked, so a clock that is set back or forward changes no age.
/// Between runs there is only the wall's; time that went backwards there is not known at all.
public struct CacheTime: Sendable, Hashable {
    /// Milliseconds since 1970.
    public let wall: Int64
    /// Milliseconds of a clock that only goes forward, comparable within one run.
    public let steady: Int64
    /// Which run of which program the steady clock belongs to.
    public let run: UInt64

    /// Creates an instant.
    ///
    /// - Parameters:
    ///   - wall: Milliseconds since 1970.
    ///   - steady: Milliseconds of a clock that only goes forward.
    ///   - run: A number that is the same for instants whose steady clocks can be compared.
    public init(wall: Int64, steady: Int64, run: UInt64) {
        (self.wall, self.steady, self.run) = (wall, steady, run)
    }

    /// The milliseconds from an earlier instant to this one; `nil` where the clock went backwards.
    package func elapsed(since earlier: CacheTime) -> Int64? {
        let (from, to) = run == earlier.run ? (earlier.steady, steady) : (earlier.wall, wall)
        let (difference, isTooLarge) = to.subtractingReportingOverflow(from)
        return isTooLarge || difference < 0 ? nil : difference
    }

    /// Whether this instant lies before another one.
    package func precedes(_ other: CacheTime) -> Bool {
        run == other.run ? steady < other.steady : wall < other.wall
    }
}
