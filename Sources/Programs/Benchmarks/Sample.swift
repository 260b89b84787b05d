import CPlainCurl
import Glibc

/// A piece of work that is measured: so many calls each time that it is run.
struct Workload {
    let name: String
    let calls: Int
    let run: () async throws -> Void

    init(_ name: String, calls: Int = 1, _ run: @escaping () async throws -> Void) {
        (self.name, self.calls, self.run) = (name, calls, run)
    }

    init(_ name: String, iterations calls: Int, _ call: @escaping () async throws -> Void) {
        self.init(name, calls: calls) { for _ in 0..<calls { try await call() } }
    }

    /// The cost of a call in each round: rounds of all workloads in turn, so that a noisy moment affects all alike.
    ///
    /// Every second round is in the opposite order, so that none always follows the same one.
    static func samples(
        of workloads: [Workload],
        rounds: Int,
        warmUps: Int = 0,
        after: () -> Void = {}
    ) async throws -> [[Sample]] {
        var samples = workloads.map { _ in [Sample]() }
        for round in 0..<warmUps + rounds {
            for index in round.isMultiple(of: 2) ? Array(workloads.indices) : workloads.indices.reversed() {
                let sample = try await Sample.of(calls: workloads[index].calls) { try await workloads[index].run() }
                if round >= warmUps { samples[index].append(sample) }
                after()
            }
        }
        return samples
    }
}

struct Sample {
    /// Wall time in seconds.
    var wall: Double
    /// User and system time of all threads, in seconds.
    var cpu: Double
    var allocations: Double
    /// Times that a thread gave its processor to another one.
    var switches: Double

    static func of(calls: Int = 1, _ work: () async throws -> Void) async rethrows -> Sample {
        let clock = ContinuousClock()
        let (before, allocations, start) = (usage(), allocation_count(), clock.now)
        try await work()
        let (wall, after) = (start.duration(to: clock.now), usage())
        return Sample(
            wall: wall.inSeconds / Double(calls),
            cpu: (cpuSeconds(after) - cpuSeconds(before)) / Double(calls),
            allocations: Double(allocation_count() - allocations) / Double(calls),
            switches: Double(after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw) / Double(calls)
        )
    }

    private static func usage() -> rusage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage
    }

    private static func cpuSeconds(_ usage: rusage) -> Double {
        Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}

extension [Sample] {
    func median(_ value: (Sample) -> Double) -> Double { map(value).median }
}

extension [[Sample]] {
    /// How much more the second work costs than the first one, by pairs of rounds.
    func more(_ value: (Sample) -> Double) -> Double { zip(self[0], self[1]).map { value($1) - value($0) }.median }
}
