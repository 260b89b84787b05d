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
