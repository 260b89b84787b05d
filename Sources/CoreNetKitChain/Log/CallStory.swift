/// What one call did, from its start to its end, ready to be written in one go.
public struct CallStory: Sendable, CustomStringConvertible {
    /// One line of a node.
    public struct Line: Sendable {
        /// The node that said it.
        public let node: NodeID
        /// How much it matters.
        public let level: LogLevel
        /// What the node said, on one line, without secrets.
        public let message: String
        /// The time since the call's start.
        public let time: Duration
        /// How deep the line stands below the call: attempts and redirects nest.
        public let depth: Int
    }

    /// How a call ended.
    public enum Outcome: Sendable {
        /// With a value.
        case completed
        /// With an error.
        case failed(any Error)
        /// Cancelled by its caller.
        case cancelled

        /// The outcome in a word, with its error.
        var summary: String {
            switch self {
            case .completed: "completed"
            case .failed(let error): "failed: \(error)"
            case .cancelled: "cancelled"
            }
        }
    }

    /// The number of the call; 0 for an observer that belongs to none.
    public let call: UInt64
    /// How the call ended.
    public let outcome: Outcome
    /// The time from start to end.
    public let duration: Duration
    /// What the nodes said, in order of time.
    public let lines: [Line]

    /// The story as a tree, one line for each entry.
    public var description: String {
        let head = "call \(call) \(outcome.summary) in \(duration.milliseconds)"
        let body = lines.map { line in
            let indent = String(repeating: "  ", count: line.depth + 1)
            return "\(indent)\(line.time.milliseconds) \(line.level) \(line.node): \(line.message)"
        }
        return ([head] + body).joined(separator: "\n")
    }
}

extension Duration {
    /// The duration as `12.345 ms`.
    package var milliseconds: String {
        let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        let fraction = String(abs(microseconds % 1000))
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - fraction.utf8.count) + "\(fraction) ms"
    }
}
