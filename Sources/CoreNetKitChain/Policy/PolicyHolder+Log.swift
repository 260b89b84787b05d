extension PolicyHolder {
    /// Records each call.
    ///
    /// - Parameters:
    ///   - sink: Where the stories of the calls go.
    ///   - level: Lines below this level are not recorded.
    ///   - isOnlyForFailures: Whether only calls that failed are handed to the sink.
    /// - Returns: A changed copy.
    public func log(
        to sink: any LogSink = LogConfiguration.platformSink,
        level: LogLevel = .info,
        isOnlyForFailures: Bool = false
    ) -> Self {
        changed {
            $0.options.log = LogConfiguration(to: sink, level: level, isOnlyForFailures: isOnlyForFailures)
        }
    }

    /// Leaves the lines of these nodes out of the record, besides those left out before.
    public func log(exclude nodes: [NodeID]) -> Self {
        changed { $0.options.excluded.formUnion(nodes) }
    }
}
