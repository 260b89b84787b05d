/// Why a tape cannot be read or written.
public struct CassetteError: Error, Sendable, CustomStringConvertible {
    /// The class of failure: an open set.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// There is no file where one is needed.
        public static let missing = Code(description: "missing")
        /// The file is no JSON, or no archive.
        public static let invalidFile = Code(description: "invalidFile")
        /// A newer version has written the file.
        public static let newerVersion = Code(description: "newerVersion")
        /// The archive has no contents to play, only heads.
        public static let withoutContents = Code(description: "withoutContents")
        /// The file is larger than the limit.
        public static let tooLarge = Code(description: "tooLarge")
        /// The file cannot be written.
        public static let notWritable = Code(description: "notWritable")
        /// The mode needs a transport for live exchanges.
        public static let noTransport = Code(description: "noTransport")
        /// The tape is older than it may be.
        public static let tooOld = Code(description: "tooOld")
    }

    /// The class of failure.
    public let code: Code
    /// What, where, and what to do.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
