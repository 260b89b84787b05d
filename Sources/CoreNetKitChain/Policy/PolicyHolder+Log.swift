extension PolicyHolder {
    /// Logs each call.
    ///
    /// - Parameters:
    ///   - sink: Where the log trees of the calls go.
    ///   - level: Lines below this level are left out.
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

    /// Leaves the lines of these nodes out of the log, besides those left out before.
    public func log(exclude nodes: [NodeID]) -> Self {
        changed { $0.options.excluded.formUnion(nodes) }
    }

    /// Hands the record of each call to a sink, besides those set before.
    ///
    /// - Parameters:
    ///   - sink: Who gets the records, off the path of the calls and without secrets.
    ///   - limit: How many records may wait for the sink; more are dropped and counted.
    ///   - keepingBodies: Whether contents of JSON and forms are in the records, without their secrets.
    /// - Returns: A changed copy.
    public func record(to sink: any CallSink, limit: Int = 1024, keepingBodies: Bool = false) -> Self {
        record(through: CallFeed(to: sink, limit: limit), keepingBodies: keepingBodies)
    }

    /// Hands the record of each call to the sink behind a feed, which several clients can share.
    ///
    /// - Parameters:
    ///   - feed: The way to a sink.
    ///   - keepingBodies: Whether contents of JSON and forms are in the records, without their secrets.
    /// - Returns: A changed copy.
    public func record(through feed: CallFeed, keepingBodies: Bool = false) -> Self {
        changed {
            $0.options.feeds.append(feed)
            if keepingBodies { $0.options.keepsBodies = true }
        }
    }

    /// Waits until all sinks, that of the log included, have got the calls that have ended by now.
    public func flushRecords() async {
        for feed in configuration.options.allFeeds { await feed.flush() }
    }
}
