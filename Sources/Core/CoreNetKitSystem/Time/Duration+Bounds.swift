/// Durations from settings, files and servers, as numbers: the only place that knows the parts of a `Duration`.
extension Duration {
    /// A hundred years: can be added to any time, and its nanoseconds fit; longer durations count as this.
    package static var forever: Duration { .seconds(3_155_760_000) }

    /// The duration, limited to `forever` in both directions: safe to calculate with.
    package var bounded: Duration { Swift.min(Swift.max(self, .zero - .forever), .forever) }

    // They saturate.
    package var wholeSeconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000_000) }
    package var wholeMilliseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000) }
    package var wholeMicroseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }
    package var wholeNanoseconds: Int64 {
        let value = attoseconds
        let (high, low) = (Int64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value))
        // Each event reads a clock: below 500 years one hardware division is enough, a 128-bit one is a function call.
        guard high >= 0, high < 1_000_000_000 else { return Int64(clamping: value / 1_000_000_000) }
        return Int64(clamping: UInt64(1_000_000_000).dividingFullWidth((UInt64(high), low)).quotient)
    }

    package func doubled(_ times: Int, upTo cap: Duration) -> Duration {
        guard self > .zero else { return Swift.min(self, cap) }
        let factor = UInt64(1) << UInt64(Swift.min(Swift.max(times, 0), 62))
        // Compared as floating-point numbers: the product of two large durations could overflow.
        return cap / self > Double(factor) ? self * factor : cap
    }
}

#if os(Linux)
    /// Nanoseconds of the monotonic clock: cheaper than `ContinuousClock`, and comparable with the loop's timers.
    package enum MonotonicTime {
        package static func now() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }

        package static let never = Int64.max

        package static func nanoseconds(_ duration: Duration?) -> Int64 {
            guard let duration else { return never }
            // Below 78 minutes: `components` needs a 128-bit division.
            let whole = duration.attoseconds
            if whole >= 0, whole < Int128(1) << 72 { return Int64(truncatingIfNeeded: whole >> 9) / 1_953_125 }
            let (seconds, attoseconds) = duration.components
            // Above 95 years counts as never, and cannot overflow when added to a time.
            guard seconds < 3_000_000_000 else { return never }
            guard seconds > -3_000_000_000 else { return 0 }
            return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        }

        /// A time later than `start`, or never.
        package static func after(_ start: Int64, _ limit: Int64) -> Int64 { limit == never ? never : start + limit }
    }
#endif
