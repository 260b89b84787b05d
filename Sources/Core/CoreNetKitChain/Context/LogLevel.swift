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
