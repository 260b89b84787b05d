/// Why a resumable upload failed, if the connection is not the reason.
///
/// A chain throws it as the cause of its own error.
public struct UploadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of failure: an open set, new codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Name: String {
            case refused, unusableResponse, stuck, lost, fileChanged, fileFailed, unusableContent
        }

        private let name: Name
        private init(_ name: Name) { self.name = name }

        /// The server refused the upload; the error's response says why.
        public static let refused = Code(.refused)
        /// The response is invalid: no location, or an offset beyond the end.
        public static let unusableResponse = Code(.unusableResponse)
        /// Repeated attempts made no progress.
        public static let stuck = Code(.stuck)
        /// The server lost the upload more than once.
        public static let lost = Code(.lost)
        /// The file has changed since the upload began.
        public static let fileChanged = Code(.fileChanged)
        /// The file or the journal cannot be read or written.
        public static let fileFailed = Code(.fileFailed)
        /// The stream has another length than declared, or is needed again and can be read only once.
        public static let unusableContent = Code(.unusableContent)

        /// The code's name.
        public var description: String { name.rawValue }
    }

    /// The class of failure.
    public let code: Code
    /// One line: the problem and its reason.
    public let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// One line.
    public var description: String { "\(code): \(message)" }
}
