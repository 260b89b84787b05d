import CoreNetKitSystem

/// The results of a tape at the end of a test.
public struct CassetteReport: Sendable, Hashable, CustomStringConvertible {
    /// Entries that were not requested.
    public var unused: [String] = []
    /// Requests that are not on the tape, with the nearest entry and the differences.
    public var unmatched: [String] = []
    /// Differences of live responses from the tape.
    public var drift: [String] = []
    /// Exchanges that were not recorded: failures of the server, and those that could not be written to the file.
    public var notRecorded: [String] = []
    /// How many exchanges were recorded.
    public var recorded = 0
    /// The age of the tape, if it is a reason to record it again.
    public var age: Duration?

    /// Whether exactly the entries of the tape were requested, and nothing has changed.
    public var isClean: Bool { unused.isEmpty && unmatched.isEmpty && drift.isEmpty && notRecorded.isEmpty }

    /// One line for each finding.
    public var description: String {
        var lines = unmatched + drift.map { "drift: \($0)" } + unused.map { "unused: \($0)" }
        lines += notRecorded.map { "not recorded: \($0)" }
        if let age { lines.append("the tape is \(age.wholeSeconds / 86_400) days old") }
        return lines.isEmpty ? "clean" : lines.joined(separator: "\n")
    }
}

/// Why a tape cannot be read or written.
public struct CassetteError: Error, Sendable, CustomStringConvertible {
    /// The class of failure: an open set.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// The file does not exist.
        public static let missing = Code(description: "missing")
        /// The file is not JSON, or not an archive.
        public static let invalidFile = Code(description: "invalidFile")
        /// The file was written by a newer version.
        public static let newerVersion = Code(description: "newerVersion")
        /// The archive has only heads, no contents to play.
        public static let withoutContents = Code(description: "withoutContents")
        /// The file is larger than the limit.
        public static let tooLarge = Code(description: "tooLarge")
        /// The file cannot be written.
        public static let notWritable = Code(description: "notWritable")
        /// The mode needs a transport for live exchanges.
        public static let noTransport = Code(description: "noTransport")
        /// The tape is older than permitted.
        public static let tooOld = Code(description: "tooOld")
    }

    /// The class of failure.
    public let code: Code
    /// The problem, its place, and the remedy.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
