/// Why a download is not complete, where neither the wire nor the status is the reason.
///
/// A chain throws it as the cause of its own error.
public struct DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of failure: an open set, new codes may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Name: String { case targetBusy, targetIsFolder, fileFailed, digestMismatch, missingDigest }
        private enum More: String { case unusableResponse, changedAgain, sizeMismatch, codedContent }

        /// The code's name.
        public let description: String
        private init(_ name: Name) { description = name.rawValue }
        private init(_ name: More) { description = name.rawValue }

        /// Another download, perhaps of another process, writes to the same target.
        public static let targetBusy = Code(.targetBusy)
        /// The target is a folder.
        public static let targetIsFolder = Code(.targetIsFolder)
        /// The system refused a file operation, a full disk for example.
        public static let fileFailed = Code(.fileFailed)
        /// The bytes are not those that were promised; they are deleted.
        public static let digestMismatch = Code(.digestMismatch)
        /// The server gave no digest to compare with.
        public static let missingDigest = Code(.missingDigest)
        /// The response makes no sense for what was asked.
        public static let unusableResponse = Code(.unusableResponse)
        /// The content changed while it was loaded, more than once.
        public static let changedAgain = Code(.changedAgain)
        /// The content ended before its declared size, or continued beyond it.
        public static let sizeMismatch = Code(.sizeMismatch)
        /// The server compresses the content, which cannot be resumed or compared.
        public static let codedContent = Code(.codedContent)
    }

    /// The class of failure.
    public let code: Code
    /// One line: what and why.
    public let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// One line.
    public var description: String { "\(code): \(message)" }
}
