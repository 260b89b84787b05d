package import CoreNetKitEssentials

/// A moment that outlives the process that saw it: on the wall's clock, which people set, and on the machine's, which
/// only goes forward and begins anew with each start.
///
/// Within one start of the machine only the second one is asked. Between two there is the wall's alone; an age below
/// zero is not known there: one of the two clocks was wrong, and nobody knows which.
package struct WallMoment: Sendable, Hashable {
    /// Milliseconds since 1970.
    package let wall: Int64
    /// Milliseconds since the machine was started, with those in which it slept.
    package let steady: Int64
    /// Which start of which machine that was; 0 where nobody knows.
    package let boot: UInt64

    package init(wall: Int64, steady: Int64, boot: UInt64) {
        (self.wall, self.steady, self.boot) = (wall, steady, boot)
    }

    /// A moment of which only the wall's time was kept.
    package init(wall: Int64) { self.init(wall: wall, steady: 0, boot: 0) }

    private func isSameBoot(as other: WallMoment) -> Bool { boot != 0 && boot == other.boot }

    /// The milliseconds from an earlier moment to this one; `nil` where that is not known.
    package func elapsed(since earlier: WallMoment) -> Int64? {
        let isSame = isSameBoot(as: earlier)
        let (from, to) = isSame ? (earlier.steady, steady) : (earlier.wall, wall)
        let (difference, isTooLarge) = to.subtractingReportingOverflow(from)
        return isTooLarge || difference < 0 ? nil : difference
    }

    /// The milliseconds to a time that was set by the same clock, as an end is when a moment is stored.
    package func length(until end: Int64) -> Int64 {
        let (difference, isTooLarge) = end.subtractingReportingOverflow(wall)
        return isTooLarge ? (end < wall ? .min : .max) : difference
    }

    /// Whether this moment lies before another one.
    ///
    /// Of two starts of the machine the present one is the later, whatever their clocks said; where both are over, the
    /// wall's clock is all there is.
    package func precedes(_ other: WallMoment, at now: WallMoment) -> Bool {
        if isSameBoot(as: other) { return steady < other.steady }
        if other.isSameBoot(as: now) { return true }
        return isSameBoot(as: now) ? false : wall < other.wall
    }
}

// MARK: - Whether a length has passed

extension WallMoment {
    /// Whether a length of time is over.
    package enum Passed: Sendable, Hashable {
        case yes
        case no
        /// Not known; to be asked again after so many milliseconds at the latest.
        case unknown(Int64)
    }

    /// How often at least is looked whether somebody has set the clock right.
    private static let patience: Int64 = 60_000

    /// Whether a length has passed since an earlier moment.
    ///
    /// What is not known stays so until the wall's clock passes the moment, or the whole length has passed within this
    /// process.
    ///
    /// - Parameters:
    ///   - length: Milliseconds.
    ///   - earlier: When it began.
    ///   - watched: For how many milliseconds this process has seen that it had begun.
    /// - Returns: Whether it is over.
    package func passed(_ length: Int64, since earlier: WallMoment, watched: Int64 = 0) -> Passed {
        if let age = elapsed(since: earlier) { return age >= length ? .yes : .no }
        guard watched < length else { return .yes }
        let ahead = earlier.wall.subtractingReportingOverflow(wall)
        return .unknown(max(1, min(ahead.overflow ? .max : ahead.partialValue, length - watched, Self.patience)))
    }
}

// MARK: - Dates

extension Date {
    /// Milliseconds since 1970, as many as can be counted with.
    package var milliseconds: Int64 {
        let value = timeIntervalSince1970 * 1000
        return value.isNaN ? 0 : Int64(min(max(value, -1e17), 1e17))
    }

    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The length from now to a date that somebody else has named, as a server in `Retry-After`.
    ///
    /// By the wall's clock, for there is no other that both know: zero for a past date, for ever at most.
    package func length(from now: Date) -> Duration {
        let seconds = timeIntervalSince1970 - now.timeIntervalSince1970
        return seconds > 0 ? .seconds(min(seconds, Duration.forever / .seconds(1))) : .zero
    }
}
