import CoreNetKitSystem

/// One call as lines for a log: a view of its record.
public struct LogTree: Sendable, CustomStringConvertible {
    /// One line of a node.
    public struct Line: Sendable, Hashable {
        /// The node that wrote the line.
        public let node: NodeID
        /// The importance of the line.
        public let level: LogLevel
        /// What happened, on one line, without secrets.
        public let message: String
        /// The time since the call's start.
        public let time: Duration
        /// The depth of the line below the call: attempts and redirects nest.
        public let depth: Int
    }

    /// The number of the call; 0 for an observer without a call.
    public let call: UInt64
    /// How the call ended.
    public let outcome: CallRecord.Outcome
    /// The time from start to end.
    public let duration: Duration
    /// What happened, in order of time.
    public let lines: [Line]
}

extension LogTree {
    /// Creates the log lines of a record, without those below a level and those of some nodes.
    ///
    /// `contents` is the number of bytes of each content that are shown, if the record has contents.
    public init(
        _ record: CallRecord,
        level: LogLevel = .info,
        excluding excluded: Set<NodeID> = [],
        contents: Int = 0
    ) {
        var lines: [Line] = []
        for event in record.events {
            for text in event.texts(in: record, contents: contents)
            where text.level >= level && !excluded.contains(text.node) {
                let message = text.message.oneLine
                lines.append(
                    Line(node: text.node, level: text.level, message: message, time: event.time, depth: event.depth)
                )
            }
        }
        self.init(call: record.call, outcome: record.outcome, duration: record.duration, lines: lines)
    }

    /// The call as a tree, one line for each entry.
    public var description: String {
        let head = "call \(call) \(outcome) in \(duration.milliseconds)"
        let body = lines.map { line in
            let indent = String(repeating: "  ", count: line.depth + 1)
            return "\(indent)\(line.time.milliseconds) \(line.level) \(line.node): \(line.message)"
        }
        return ([head] + body).joined(separator: "\n")
    }
}

extension CallRecord.Outcome: CustomStringConvertible {
    /// The outcome in a word, with its error.
    public var description: String {
        switch self {
        case .completed: "completed"
        case .failed(let failure): "failed: \(failure)".oneLine
        case .cancelled: "cancelled"
        }
    }
}

extension Duration {
    /// The duration as `12.345 ms`.
    package var milliseconds: String {
        let microseconds = wholeMicroseconds
        return "\(microseconds / 1000).\(CivilTime.padded(Int(abs(microseconds % 1000)), 3)) ms"
    }
}

extension String {
    /// The text with line breaks and other control characters shown as `\u{…}`, so that one entry stays one line.
    package var oneLine: String {
        guard unicodeScalars.contains(where: \.isUnsafeInTerminal) else { return self }
        return unicodeScalars.map { $0.isUnsafeInTerminal ? $0.escaped(asASCII: true) : String($0) }.joined()
    }

    /// The text with some characters replaced, as a format requires.
    package func escaped(_ escapes: [Unicode.Scalar: String]) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if let escape = escapes[scalar] { text += escape } else { text.unicodeScalars.append(scalar) }
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character of either range, or another character that some readers treat as a line break or
    /// a change of direction.
    package var isUnsafeInTerminal: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
