/// Why a download failed, if neither the connection nor the status is the reason.
///
/// A chain throws it as the cause of its own error.
public struct DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of failure: an open set, new codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Another download, perhaps of another process, writes to the same target.
        public static let targetBusy = Code("targetBusy")
        /// The target is a folder.
        public static let targetIsFolder = Code("targetIsFolder")
        /// A file operation failed, for example because the disk is full.
        public static let fileFailed = Code("fileFailed")
        /// The bytes do not match the expected digest; they are deleted.
        public static let digestMismatch = Code("digestMismatch")
        /// The server sent no digest to compare with.
        public static let missingDigest = Code("missingDigest")
        /// The response does not fit the request.
        public static let unusableResponse = Code("unusableResponse")
        /// The content changed more than once while it was loaded.
        public static let changedAgain = Code("changedAgain")
        /// The content ended before its declared size, or continued beyond it.
        public static let sizeMismatch = Code("sizeMismatch")
        /// The server compresses the content, so that it cannot be resumed or compared.
        public static let codedContent = Code("codedContent")
    }

    /// The class of failure.
    public let code: Code
    /// One line: the problem and its reason.
    public let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// One line.
    public var description: String { "\(code): \(message)" }
}
