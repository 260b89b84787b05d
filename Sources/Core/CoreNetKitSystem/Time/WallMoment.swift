package import CoreNetKitEssentials

/// A moment that outlives its process: on the wall clock, which can be set, and on the machine's clock, which is monotonic
/// and restarts with each boot.
///
/// Within one boot only the machine's clock counts. Across boots there is only the wall clock; a negative age is then
/// unknown, because one of the two readings was wrong.
package struct WallMoment: Sendable, Hashable {
    /// Milliseconds since 1970.
    package let wall: Int64
    /// Milliseconds since the machine started, including time asleep.
    package let steady: Int64
    /// Which boot of which machine it was; 0 if unknown.
    package let bootID: UInt64

    package init(wall: Int64, steady: Int64, bootID: UInt64) {
        (self.wall, self.steady, self.bootID) = (wall, steady, bootID)
    }

    /// A moment for which only the wall clock's time was stored.
    package init(wall: Int64) { self.init(wall: wall, steady: 0, bootID: 0) }

    private func isSameBoot(as other: WallMoment) -> Bool { bootID != 0 && bootID == other.bootID }

    /// The milliseconds from an earlier moment to this one; `nil` if unknown.
    package func elapsed(since earlier: WallMoment) -> Int64? {
        let isSame = isSameBoot(as: earlier)
        let (from, to) = isSame ? (earlier.steady, steady) : (earlier.wall, wall)
        let (difference, isTooLarge) = to.subtractingReportingOverflow(from)
        return isTooLarge || difference < 0 ? nil : difference
    }

    /// The milliseconds to a time on the same clock, such as an end that was stored with the moment.
    package func milliseconds(until end: Int64) -> Int64 {
        let (difference, isTooLarge) = end.subtractingReportingOverflow(wall)
        return isTooLarge ? (end < wall ? .min : .max) : difference
    }

    /// Whether this moment is before another one.
    ///
    /// The present boot is later than any other, whatever the clocks said; two past boots are compared by the wall clock.
    package func precedes(_ other: WallMoment, at now: WallMoment) -> Bool {
        if isSameBoot(as: other) { return steady < other.steady }
        if other.isSameBoot(as: now) { return true }
        return isSameBoot(as: now) ? false : wall < other.wall
    }

    // MARK: - Whether a duration has passed

    package enum ElapsedState: Sendable, Hashable {
        case yes
        case no
        /// Unknown; ask again after this many milliseconds at the latest.
        case unknown(Int64)
    }

    /// The longest time between two checks whether the clock was corrected.
    private static let longestRecheck: Int64 = 60_000

    /// Whether a duration has passed since an earlier moment.
    ///
    /// In milliseconds. Unknown until the wall clock passes the moment, or this process has `watched` the whole duration.
    package func hasElapsed(_ length: Int64, since earlier: WallMoment, watched: Int64 = 0) -> ElapsedState {
        if let age = elapsed(since: earlier) { return age >= length ? .yes : .no }
        guard watched < length else { return .yes }
        let ahead = earlier.wall.subtractingReportingOverflow(wall)
        return .unknown(max(1, min(ahead.overflow ? .max : ahead.partialValue, length - watched, Self.longestRecheck)))
    }
}

// MARK: - Dates

extension Date {
    /// Milliseconds since 1970, limited to a range that is safe to calculate with.
    package var milliseconds: Int64 {
        let value = timeIntervalSince1970 * 1000
        return value.isNaN ? 0 : Int64(min(max(value, -1e17), 1e17))
    }

    /// The date itself; the farthest past or future for an infinite one, and the past for NaN.
    package var finite: Date {
        let seconds = timeIntervalSince1970
        return seconds.isFinite ? self : seconds > 0 ? .distantFuture : .distantPast
    }

    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The duration from now to a date that another party named: zero for a past date, at most `forever`.
    package func duration(since now: Date) -> Duration {
        let seconds = timeIntervalSince1970 - now.timeIntervalSince1970
        return seconds > 0 ? .seconds(min(seconds, Duration.forever / .seconds(1))) : .zero
    }
}

extension WallMoment {
    /// The moment on this machine, with a given date as the wall clock's.
    package static func machine(at date: Date) -> WallMoment {
        WallMoment(wall: date.milliseconds, steady: sinceBoot, bootID: thisBoot)
    }

    /// Milliseconds since the machine started, including time asleep.
    private static var sinceBoot: Int64 {
        #if os(Linux)
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        #else
            return Int64(clamping: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW) / 1_000_000)
        #endif
    }

    /// A number for this start of this machine; for this process alone if the system does not provide one.
    private static let thisBoot: UInt64 = {
        guard let name = bootName, !name.isEmpty else { return .random(in: 1 ... .max) }
        return max(Hash128(of: name).high, 1)
    }()

    private static var bootName: [UInt8]? {
        #if os(Linux)
            let files = PosixFiles()
            // A file in `/proc` reports no size.
            guard let file = try? files.open("/proc/sys/kernel/random/boot_id", .read) else { return nil }
            defer { files.close(file) }
            return try? files.readAll(file, count: 64)
        #else
            var bytes = [UInt8](repeating: 0, count: 64)
            var count = bytes.count
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return nil }
            return Array(bytes.prefix(count))
        #endif
    }
}
