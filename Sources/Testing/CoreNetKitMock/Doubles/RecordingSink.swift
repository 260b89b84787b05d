public import CoreNetKitChain
import CoreNetKitPeer

/// A sink that keeps the records of calls, and their log trees, for tests.
public final class RecordingSink: CallSink, LogSink {
    private let calls = WaitableState<[CallRecord]>([])
    private let trees = WaitableState<[LogTree]>([])

    /// Creates an empty sink.
    public init() {}

    /// The records in the order in which the calls ended, if the sink was set with `record(to:)`.
    public var records: [CallRecord] { calls.value }

    /// The log trees in the order in which the calls ended, if the sink was set with `log(to:)`.
    public var logTrees: [LogTree] { trees.value }

    /// Keeps a record.
    public func write(_ record: CallRecord) { calls.update { $0.append(record) } }

    /// Keeps a log tree.
    public func write(_ tree: LogTree) { trees.update { $0.append(tree) } }

    /// Waits until at least this many calls have been recorded, and returns all records.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    @discardableResult
    public func waitForRecords(_ count: Int) async throws -> [CallRecord] {
        try await calls.wait { $0.count >= count }
        return records
    }

    /// Waits until at least this many calls have been logged, and returns all log trees.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    @discardableResult
    public func waitForLogTrees(_ count: Int) async throws -> [LogTree] {
        try await trees.wait { $0.count >= count }
        return logTrees
    }
}

// Names of 0.2, each with a fix-it.

extension RecordingSink {
    /// The former name of ``RecordingSink/logTrees``.
    @available(*, deprecated, renamed: "logTrees")
    public var stories: [LogTree] { logTrees }

    /// The former name of ``RecordingSink/waitForLogTrees(_:)``.
    @available(*, deprecated, renamed: "waitForLogTrees(_:)")
    @discardableResult
    public func waitForStories(_ count: Int) async throws -> [LogTree] { try await waitForLogTrees(count) }
}
