/// Lengths that come from settings, files and servers, as numbers: the one place that knows the parts of a `Duration`.
extension Duration {
    /// A hundred years: what is longer lasts for ever.
    ///
    /// It can be added to any time, and its nanoseconds fit.
    package static var forever: Duration { .seconds(3_155_760_000) }

    /// The length, no longer than for ever in either direction: safe to count with.
    package var bounded: Duration { Swift.min(Swift.max(self, .zero - .forever), .forever) }

    /// Whole seconds; what does not fit is as far as it goes.
    package var wholeSeconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000_000) }

    /// Whole milliseconds, as many as fit.
    package var wholeMilliseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000) }

    /// Whole microseconds, as many as fit.
    package var wholeMicroseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }

    /// Whole nanoseconds, as many as fit.
    package var wholeNanoseconds: Int64 {
        let value = attoseconds
        let (high, low) = (Int64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value))
        // Each event reads a clock: up to 500 years one division of the processor does it, of 128 bits it is a function.
        guard high >= 0, high < 1_000_000_000 else { return Int64(clamping: value / 1_000_000_000) }
        return Int64(clamping: UInt64(1_000_000_000).dividingFullWidth((UInt64(high), low)).quotient)
    }

    /// The length doubled a number of times, as far as a cap.
    package func doubled(_ times: Int, upTo cap: Duration) -> Duration {
        guard self > .zero else { return Swift.min(self, cap) }
        let factor = UInt64(1) << UInt64(Swift.min(Swift.max(times, 0), 62))
        // Compared as numbers: the product of two large ones would not fit.
        return cap / self > Double(factor) ? self * factor : cap
    }
}
