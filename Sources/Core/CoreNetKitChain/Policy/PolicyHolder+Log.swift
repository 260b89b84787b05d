extension PolicyHolder {
    /// Logs each call.
    ///
    /// - Parameters:
    ///   - sink: The receiver of the calls' log trees.
    ///   - level: Lines below this level are left out.
    ///   - isOnlyForFailures: Whether only failed calls are passed to the sink.
    /// - Returns: A changed copy.
    public func log(
        to sink: any LogSink = LogConfiguration.platformSink,
        level: LogLevel = .info,
        isOnlyForFailures: Bool = false
    ) -> Self {
        changed {
            let log = LogConfiguration(to: sink, level: level, isOnlyForFailures: isOnlyForFailures)
            $0.options.listeners.log = log
        }
    }

    /// Excludes the lines of these nodes from the log, in addition to those excluded before.
    public func log(exclude nodes: [NodeID]) -> Self {
        changed { $0.options.listeners.excluded.formUnion(nodes) }
    }

    /// Shows the server's reason: log, records and the descriptions of errors show the beginning of contents.
    ///
    /// Without it, none of them does. Shown are JSON, forms, plain text, XML and events, without the values that the rules of
    /// ``secrets(_:)`` name or recognise. Type and size stand in place of HTML, of other types and of streams. Contents may
    /// be personal all the same, and descriptions of errors may go further than logs: it is meant for development.
    ///
    /// - Parameter bytes: The number of bytes of each content, at most 64 KiB; 0 for none.
    /// - Returns: A changed copy.
    public func log(contents bytes: Int) -> Self { changed { $0.options.listeners.contentLimit = bytes } }

    /// Delivers the record of each call to a sink, in addition to those set before.
    ///
    /// - Parameters:
    ///   - sink: Receives the records, off the path of the calls and without secrets.
    ///   - limit: The maximum number of queued records; more are dropped and counted.
    ///   - keepingBodies: Whether the records contain JSON and form contents, without their secrets.
    /// - Returns: A changed copy.
    public func record(to sink: any CallSink, limit: Int = 1024, keepingBodies: Bool = false) -> Self {
        record(through: CallFeed(to: sink, limit: limit), keepingBodies: keepingBodies)
    }

    /// Delivers the record of each call to the sink of a feed, which several clients can share.
    ///
    /// - Parameters:
    ///   - feed: The feed of a sink.
    ///   - keepingBodies: Whether the records contain JSON and form contents, without their secrets.
    /// - Returns: A changed copy.
    public func record(through feed: CallFeed, keepingBodies: Bool = false) -> Self {
        changed {
            $0.options.listeners.feeds.append(feed)
            if keepingBodies { $0.options.listeners.keepsBodies = true }
        }
    }

    /// Waits until all sinks, including that of the log, have received the calls that have ended so far.
    public func flushRecords() async {
        for feed in configuration.options.listeners.all { await feed.flush() }
    }
}
