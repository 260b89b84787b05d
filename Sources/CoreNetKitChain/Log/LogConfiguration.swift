/// What is recorded of each call, and where it goes; without one nothing is recorded at all.
public struct LogConfiguration: Sendable {
    /// Where the stories go.
    public var sink: any LogSink
    /// Lines below this level are not recorded.
    public var level: LogLevel
    /// Whether only calls that failed are handed to the sink.
    public var isOnlyForFailures: Bool
    /// Nodes whose lines are left out.
    public var excluded: Set<NodeID>

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - sink: Where the stories go.
    ///   - level: Lines below this level are not recorded.
    ///   - isOnlyForFailures: Whether only calls that failed are handed to the sink.
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

    /// The unified log on Apple platforms, standard error elsewhere.
    public static var platformSink: any LogSink {
        #if canImport(os)
            SystemLogSink()
        #else
            StandardErrorSink()
        #endif
    }
}
