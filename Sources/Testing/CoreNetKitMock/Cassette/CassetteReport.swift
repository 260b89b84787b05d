import CoreNetKitSystem

/// The results of a tape at the end of a test.
public struct CassetteReport: Sendable, Hashable, CustomStringConvertible {
    /// Entries that were not requested.
    public var unused: [String] = []
    /// Requests that are not on the tape, with the nearest entry and the differences.
    public var unmatched: [String] = []
    /// Differences of live responses from the tape.
    public var drift: [String] = []
    /// Responses that were not recorded because they are failures.
    public var refused: [String] = []
    /// How many exchanges were recorded.
    public var recorded = 0
    /// The age of the tape, if it is a reason to record it again.
    public var age: Duration?

    /// Whether exactly the entries of the tape were requested, and nothing has changed.
    public var isClean: Bool { unused.isEmpty && unmatched.isEmpty && drift.isEmpty && refused.isEmpty }

    /// One line for each finding.
    public var description: String {
        var lines = unmatched + drift.map { "drift: \($0)" } + unused.map { "unused: \($0)" }
        lines += refused.map { "not recorded: \($0)" }
        if let age { lines.append("the tape is \(age.wholeSeconds / 86_400) days old") }
        return lines.isEmpty ? "clean" : lines.joined(separator: "\n")
    }
}
