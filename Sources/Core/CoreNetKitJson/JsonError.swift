/// Why bytes are not JSON, or why a value cannot be written as JSON, and at which position.
public struct JsonError: Error, Sendable, Hashable {
    /// The class of a failure.
    public enum Code: Sendable, Hashable {
        /// There are no bytes, or nothing but white space.
        case empty
        /// The bytes break the grammar of RFC 8259.
        case syntax
        /// Arrays and objects are nested more deeply than ``Json/depthLimit``.
        case tooDeep
        /// A value cannot be represented in JSON.
        case unsupported
    }

    /// A place in a text.
    public struct Position: Sendable, Hashable {
        /// The number of bytes before the place.
        public let offset: Int

        /// The line, from 1.
        public let line: Int

        /// The byte within the line, from 1.
        public let column: Int
    }

    /// The class of the failure.
    public let code: Code

    /// The place in the bytes; `nil` for a failure that does not concern bytes.
    public let position: Position?

    /// The place in the value, such as `filter.owner`; empty at the top.
    public internal(set) var path: String

    /// What was expected and what was found.
    public let message: String

    init(_ code: Code, at position: Position? = nil, path: String = "", _ message: String) {
        self.code = code
        self.position = position
        self.path = path
        self.message = message
    }
}

extension JsonError: CustomStringConvertible {
    /// One line with the position and the reason.
    public var description: String { (path.isEmpty ? "" : path + ": ") + reason }

    /// The reason, with the position in the bytes.
    package var reason: String {
        message + (position.map { " at line \($0.line), column \($0.column) (byte \($0.offset))" } ?? "")
    }
}
