import CoreNetKitHTTP

/// The listeners of a chain's calls, and what their records contain.
package struct CallListeners: Sendable {
    /// What is logged; nodes may be excluded before the sink is set.
    package var log: LogConfiguration? { didSet { feedLog() } }
    package var excluded: Set<NodeID> = [] { didSet { feedLog() } }
    /// The other sinks.
    package var feeds: [CallFeed] = [] { didSet { assemble() } }
    /// Whether the contents of requests and responses are kept for the records.
    package var keepsBodies = false { didSet { assemble() } }
    /// What is removed from the records.
    var secrets = SecretRules.standard { didSet { assemble() } }
    private var logFeed: CallFeed?
    /// The recording options of each call, assembled once.
    private(set) var recording = CallRecording.Options()
    /// The counters, if there is no other listener.
    private(set) var counters: [any CallCounter] = []

    /// All listeners, the log among them.
    var all: [CallFeed] { recording.feeds }

    private mutating func assemble() {
        recording = CallRecording.Options(
            feeds: logFeed.map { [$0] + feeds } ?? feeds,
            lineLevel: min(log?.level ?? .info, .info),
            keepsBodies: keepsBodies,
            secrets: secrets
        )
        counters = recording.feeds.allSatisfy(\.isCounter) ? recording.feeds.compactMap(\.counter) : []
    }

    private mutating func feedLog() {
        defer { assemble() }
        guard var log else {
            logFeed = nil
            return
        }
        log.excluded.formUnion(excluded)
        logFeed = CallFeed(to: log)
    }
}
