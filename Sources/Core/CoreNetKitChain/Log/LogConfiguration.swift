/// What is logged of each call, and where it goes: the sink that turns records into log trees.
public struct LogConfiguration: CallSink {
    /// The receiver of the trees.
    public var sink: any LogSink
    /// Lines below this level are left out.
    public var level: LogLevel
    /// Whether only failed calls are passed to the sink.
    public var isOnlyForFailures: Bool
    /// Nodes whose lines are left out.
    public var excluded: Set<NodeID>

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - sink: Where the trees go.
    ///   - level: Lines below this level are left out.
    ///   - isOnlyForFailures: Whether only failed calls are passed to the sink.
    ///   - excluded: Nodes whose lines are left out.
    public init(
        to sink: any LogSink = Self.platformSink,
        level: LogLevel = .info,
        isOnlyForFailures: Bool = false,
        excluded: Set<NodeID> = []
    ) {
        self.sink = sink
        self.level = level
        self.isOnlyForFailures = isOnlyForFailures
        self.excluded = excluded
    }

    /// Writes the tree of a call.
    public func write(_ record: CallRecord) {
        if isOnlyForFailures {
            guard case .failed = record.outcome else { return }
        }
        sink.write(LogTree(record, level: level, excluding: excluded))
    }

    /// The unified log on Apple platforms, standard error elsewhere.
    public static var platformSink: any LogSink {
        #if canImport(os)
            SystemLogSink()
        #else
            StandardErrorSink()
        #endif
    }
}
