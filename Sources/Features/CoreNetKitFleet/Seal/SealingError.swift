/// An error in sealing or opening a shared value.
public struct SealingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of failure: an open set.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Name: Sendable, Hashable { case badKey, unknownKey, notAuthentic, malformed }

        private let name: Name
        private init(_ name: Name) { self.name = name }

        /// A key has no id, an id that is too long, or not 32 bytes.
        public static let badKey = Code(.badKey)
        /// The value was sealed with a key that this process does not have.
        public static let unknownKey = Code(.unknownKey)
        /// The value was changed after it was sealed, belongs to another place, or was sealed with another key of the same id.
        public static let notAuthentic = Code(.notAuthentic)
        /// The value was not written by this framework.
        public static let malformed = Code(.malformed)

        /// The code's name.
        public var description: String { "\(name)" }
    }

    /// The class of failure.
    public let code: Code
    /// One line that is safe to log: what happened, and what to do.
    public let message: String

    /// Creates an error, for a custom sealing.
    ///
    /// - Parameters:
    ///   - code: The class of failure.
    ///   - message: One line: what happened, and what to do; without secrets.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// One line that is safe to log.
    public var description: String { "\(code): \(message)" }
}
