extension PolicyHolder {
    /// Logs each call, or only failed ones, without the lines below a level.
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
    /// Of each content, at most 64 KiB are shown; without this, or with 0, none is. Shown are JSON, forms, plain text,
    /// XML and events, without the values that the rules of ``secrets(_:)`` name or recognise. Type and size stand in
    /// place of HTML, of other types and of streams. Contents may be personal all the same, and descriptions of errors
    /// may go further than logs: it is meant for development.
    public func log(contents bytes: Int) -> Self { changed { $0.options.listeners.contentLimit = bytes } }

    /// Delivers the record of each call to a sink, in addition to those set before, off the path of the calls.
    ///
    /// With `keepingBodies`, records contain JSON and form contents, without their secrets. Beyond `limit` queued
    /// records, further ones are dropped and counted.
    public func record(to sink: any CallSink, limit: Int = 1024, keepingBodies: Bool = false) -> Self {
        record(through: CallFeed(to: sink, limit: limit), keepingBodies: keepingBodies)
    }

    /// Delivers the record of each call to the sink of a feed, which several clients can share.
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
