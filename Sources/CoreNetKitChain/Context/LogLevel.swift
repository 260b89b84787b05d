/// How much a line of a call's record matters.
public enum LogLevel: Int, Sendable, Hashable, Comparable, CustomStringConvertible {
    /// What every node did.
    case debug
    /// The request and the response.
    case info
    /// What was mended on the way: a retry, a redirect.
    case warning
    /// What ended the call.
    case error

    /// Whether the left one matters less.
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
