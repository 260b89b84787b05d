/// Repeats what has a limit of real time, with four times as much of it, until that was enough for what must come before its end.
///
/// Where a clock can be injected, a limit is exact; on a real socket a busy machine may need seconds for a head.
public func withLongerLimits<Result>(
    until isEnough: (Result) -> Bool,
    _ attempt: (Duration) async throws -> Result
) async rethrows -> Result {
    var limit = Duration.milliseconds(300)
    while true {
        let result = try await attempt(limit)
        guard !isEnough(result), limit < .seconds(60) else { return result }
        limit *= 4
    }
}
