public import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitSystem
import Synchronization

/// Keeps the records of the latest calls, to inspect them or to write them to a file when something went wrong.
///
/// ```swift
/// let recorder = CallRecorder()
/// let client = Client().record(in: recorder)
/// ```
public final class CallRecorder: CallSink {
    /// When a recorder delivers its records.
    public enum DumpReason: Sendable {
        /// A call has failed.
        case failure
    }

    private struct State {
        var records: [(record: CallRecord, size: Int)] = []
        var size = 0
        var dropped = 0
        /// The number of all records so far.
        var written = 0
        /// The calls that have begun while a live page existed, and have not ended.
        var running: [UInt64: CallRecording] = [:]
        var waiting: [Waiter<Void>] = []
        var dumps: [@Sendable (CallRecord, [CallRecord]) -> Void] = []
    }

    private let state = Locked(State())
    private let isWatched = Atomic(false)
    private let limit: Int
    private let byteLimit: Int
    let keepsBodies: Bool

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - limit: How many calls to keep.
    ///   - byteLimit: How many bytes to keep, approximately; the oldest calls are dropped first.
    ///   - keepsBodies: Whether JSON and form contents are kept, without their secrets.
    public init(keep limit: Int = 200, byteLimit: Int = 16 << 20, keepsBodies: Bool = false) {
        (self.limit, self.byteLimit, self.keepsBodies) = (max(limit, 1), max(byteLimit, 1), keepsBodies)
    }

    /// The kept records, the oldest first.
    public var records: [CallRecord] { state.withLock { $0.records.map(\.record) } }

    /// The record of the latest call.
    public var last: CallRecord? { state.withLock { $0.records.last?.record } }

    /// How many records were lost because too many arrived at once.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Removes all records.
    public func removeAll() { state.withLock { ($0.records, $0.size) = ([], 0) } }

    /// Keeps a record.
    public func write(_ record: CallRecord) {
        let size = record.roughSize
        let (dumps, records, waiting) = state.withLock { state in
            state.records.append((record, size))
            state.size += size
            state.written += 1
            state.running[record.call] = nil
            defer { state.waiting = [] }
            while state.records.count > limit || state.size > byteLimit && state.records.count > 1 {
                state.size -= state.records.removeFirst().size
            }
            return (state.dumps, state.dumps.isEmpty ? [] : state.records.map(\.record), state.waiting)
        }
        for waiter in waiting { waiter.resume(.success(())) }
        guard case .failed = record.outcome else { return }
        for dump in dumps { dump(record, records) }
    }

    /// Counts lost records.
    public func recordsDropped(_ count: Int) {
        state.withLock { state in
            state.dropped += count
            state.running = state.running.filter { !$0.value.isOver }
        }
    }

    /// Knows calls from their start, from now on.
    func watch() { isWatched.store(true, ordering: .relaxed) }

    /// The kept ones of the records after the first `count`, the number of all records, and the oldest calls that run.
    func records(after count: Int) -> (records: [CallRecord], written: Int, running: [CallRecord]) {
        let (records, written, running) = state.withLock { state in
            // External input: the number is from a request.
            let new = min(max(state.written - max(count, 0), 0), state.records.count)
            return (state.records.suffix(new).map(\.record), state.written, state.running)
        }
        return (records, written, running.sorted { $0.key < $1.key }.prefix(limit).map(\.value.snapshot))
    }

    /// Waits until there are more than `count` records, until `limit` by `clock`, or until its task is cancelled.
    func waitForRecords(after count: Int, until limit: Duration, on clock: CallClock) async {
        let waiter = Waiter<Void>()
        let isThere = state.withLock { state in
            if state.written <= count { state.waiting.append(waiter) }
            return state.written > count
        }
        guard !isThere else { return }
        try? await waiter.value(until: limit, on: clock) { .success(()) }
        state.withLock { $0.waiting.removeAll { $0 === waiter } }
    }

    /// Delivers a call that went wrong and all kept ones, including that one, outside the calls.
    public func dump(on reason: DumpReason, _ body: @escaping @Sendable (CallRecord, [CallRecord]) -> Void) {
        state.withLock { $0.dumps.append(body) }
    }

    /// Writes an HTTP archive of the kept calls, readable only by its owner, or throws the error of the file system.
    ///
    /// An existing file of this user is replaced.
    public func writeHAR(to file: URL) throws { try PosixFiles().replace(file, with: HARWriter.data(of: records)) }

    /// Writes a page of the kept calls, as ``writeHAR(to:)`` writes an archive.
    public func writeHTML(to file: URL) throws {
        try PosixFiles().replace(file, with: Data(CallPage(records).html.utf8))
    }
}

extension CallRecorder: CallWatcher {
    package func begin(_ recording: CallRecording, of call: UInt64) {
        guard isWatched.load(ordering: .relaxed) else { return }
        state.withLock { $0.running[call] = recording }
    }
}

extension PolicyHolder {
    /// Keeps the records of these calls in a recorder; several clients can share one.
    public func record(in recorder: CallRecorder) -> Self {
        record(to: recorder, keepingBodies: recorder.keepsBodies)
    }
}

extension CallRecord {
    /// The memory of a record in bytes, without texts that it shares with others.
    var roughSize: Int {
        events.reduce(256) { size, event in
            switch event.kind {
            case .exchangeStarted(let sent): size + 192 + sent.headers.count * 64 + (sent.body?.count ?? 0)
            case .responseHead(let head): size + 128 + head.headers.count * 64 + (head.body?.count ?? 0)
            case .phases: size + 400
            case .line(_, _, let message): size + 64 + message.utf8.count
            default: size + 80
            }
        }
    }
}
