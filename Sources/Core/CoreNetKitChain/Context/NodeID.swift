/// The stable name of a node in logs, errors and diagrams.
public struct NodeID: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, without generic arguments.
    public let rawValue: String

    /// Creates an id from a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an id from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// Creates an id from a type's name, without its generic arguments.
    public init(_ type: Any.Type) {
        let name = String(describing: type)
        rawValue = String(name.prefix { $0 != "<" })
    }

    /// The name.
    public var description: String { rawValue }

    // Nodes in whose name other code writes events and errors, also in targets that do not see the types.
    /// The last node, which calls the transport.
    package static let transport: NodeID = "TransportNode"
    /// The node of the token policy.
    package static let token: NodeID = "TokenNode"

    // The model nodes, which are defined in a higher target, for events on their behalf.
    /// The node that encodes a payload as a request.
    package static let request: NodeID = "RequestNode"
    /// The node that decodes a response as a model.
    package static let response: NodeID = "ResponseNode"
}

/// The importance of a line of a call's record.
public enum LogLevel: Int, Sendable, Hashable, Comparable, CustomStringConvertible {
    /// What every node did.
    case debug
    /// The request and the response.
    case info
    /// Problems that the call recovered from: a retry, a redirect.
    case warning
    /// The error that ended the call.
    case error

    /// Whether the left one is less important.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    /// The level's name.
    public var description: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }
}
