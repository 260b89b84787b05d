/// How much of a random or long test runs, and from which seed, as the environment sets it.
///
/// `TEST_ROUNDS` counts what the suite counts: schedules, requests, kills, milliseconds. Without it a suite does what fits into
/// every test run. `TEST_SEED` is the seed, or the first of several. Both are meant for one suite at a time, with `--filter`;
/// `.ci/proofs` sets them.
public enum TestRounds {
    /// `TEST_ROUNDS`; what measures memory or rates asserts only with it, alone in its process.
    public static let given = number("TEST_ROUNDS")

    /// `TEST_ROUNDS`, or as many as fit into every test run.
    public static func count(_ standard: Int) -> Int { given ?? standard }

    /// `TEST_SEED`, or the seed of every test run.
    public static func seed(_ standard: UInt64) -> UInt64 {
        number("TEST_SEED").map { UInt64($0.magnitude) } ?? standard
    }

    /// As many seeds as there are rounds.
    public static func seeds(_ standard: Int, from first: UInt64 = 0) -> Range<Int> {
        let first = Int(clamping: seed(first))
        return first..<first.addingReportingOverflow(count(standard)).partialValue
    }

    /// `TEST_PROCESSES`: how many processes share a file or a server.
    public static func processes(_ standard: Int) -> Int { number("TEST_PROCESSES") ?? standard }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
