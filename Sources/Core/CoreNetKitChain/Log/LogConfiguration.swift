import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch

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

    /// The number of bytes of each content that are shown, at most 64 KiB; 0 for none, see ``PolicyHolder/log(contents:)``.
    public var contents: Int
    /// The deprecated routes it has warned of, shared by copies: a client and its builders warn of a route once.
    private let deprecatedRoutes = Locked<Set<String>>([])

    /// Creates a configuration.
    public init(
        to sink: any LogSink = Self.platformSink,
        level: LogLevel = .info,
        isOnlyForFailures: Bool = false,
        excluded: Set<NodeID> = [],
        contents: Int = 0
    ) {
        self.sink = sink
        self.level = level
        self.isOnlyForFailures = isOnlyForFailures
        self.excluded = excluded
        self.contents = contents
    }

    /// Writes the tree of a call; the first of a deprecated route has a warning.
    public func write(_ record: CallRecord) {
        if isOnlyForFailures {
            guard case .failed = record.outcome else { return }
        }
        let tree = LogTree(record, level: level, excluding: excluded, contents: contents)
        let warns = level <= .warning && !excluded.contains(.transport)
        sink.write(warns ? tree.addingNotices(of: record, besides: deprecatedRoutes) : tree)
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

extension Observer {
    /// Writes each outcome to a sink, under a name; the builder's `log(to:)` records the nodes of a chain.
    @discardableResult
    public func log(_ name: NodeID, to sink: any LogSink = LogConfiguration.platformSink) -> Observer<Model> {
        let clock = CallClock.continuous
        let start = clock.now
        let write: @Sendable (CallRecord.Outcome, LogLevel) -> Void = { outcome, level in
            let time = clock.now - start
            let line = LogTree.Line(node: name, level: level, message: "\(outcome)", time: time, depth: 0)
            sink.write(LogTree(call: 0, outcome: outcome, duration: time, lines: [line]))
        }
        // On a separate queue, so that a sink may be slow and does not need the main queue.
        dispatchOn(.global(qos: .utility))
            .onCompleted { _ in write(.completed, .info) }
            .onError { error in
                // The response of a failed call has the secrecy rules of its client.
                let secrets = (error as? NetworkError)?.response?.secrets ?? .standard
                write(.failed(.init(error)).redacted(by: secrets), .error)
            }
            .onCanceled { write(.cancelled, .info) }
        return self
    }
}
