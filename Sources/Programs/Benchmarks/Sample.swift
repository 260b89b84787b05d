#if os(Linux)
    import CPlainCurl
    import Glibc
#else
    import Darwin
#endif

/// The cost of a piece of work.
struct Sample {
    /// Wall time in seconds.
    var wall: Double
    /// User and system time of all threads, in seconds.
    var cpu: Double
    /// Allocations of all threads.
    var allocations: Double
    /// Times that a thread gave its processor to another one.
    var switches: Double

    static func of(_ work: () async throws -> Void) async rethrows -> Sample {
        let clock = ContinuousClock()
        let (before, allocations, start) = (usage(), allocationCount(), clock.now)
        try await work()
        let (wall, after) = (start.duration(to: clock.now), usage())
        return Sample(
            wall: wall.inSeconds,
            cpu: cpuSeconds(after) - cpuSeconds(before),
            allocations: Double(allocationCount() - allocations),
            switches: Double(after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw)
        )
    }

    private static func usage() -> rusage {
        var usage = rusage()
        #if os(Linux)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        return usage
    }

    private static func cpuSeconds(_ usage: rusage) -> Double {
        Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }

    private static func allocationCount() -> Int {
        #if os(Linux)
            allocation_count()
        #else
            0
        #endif
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
