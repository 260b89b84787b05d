#if os(Linux)
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Nanoseconds of the monotonic clock: cheaper than `ContinuousClock`, and comparable with the loop's timers.
    package enum MonotonicTime {
        package static func now() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }

        package static let never = Int64.max

        /// A limit in nanoseconds; `nil` means never.
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
