/// Writes the log tree of each call: the sink behind `log(to:)`.
public struct CallLogSink: CallSink {
    /// Where the trees go.
    public var output: LogOutput
    /// Lines below this level are left out.
    public var level: LogLevel
    /// Whether only calls that failed are written.
    public var isOnlyForFailures: Bool
    /// Nodes whose lines are left out.
    public var excluded: Set<NodeID>

    /// Creates the sink.
    ///
    /// - Parameters:
    ///   - output: Where the trees go.
    ///   - level: Lines below this level are left out.
    ///   - isOnlyForFailures: Whether only calls that failed are written.
    ///   - excluded: Nodes whose lines are left out.
    public init(
        to output: LogOutput = .platform,
        level: LogLevel = .info,
        isOnlyForFailures: Bool = false,
        excluded: Set<NodeID> = []
    ) {
        self.output = output
        self.level = level
        self.isOnlyForFailures = isOnlyForFailures
        self.excluded = excluded
    }

    /// Writes the tree of the call.
    public func write(_ record: CallRecord) {
        if isOnlyForFailures {
            guard case .failed = record.outcome else { return }
        }
        output.write(LogTree(record, level: level, excluding: excluded))
    }
}
