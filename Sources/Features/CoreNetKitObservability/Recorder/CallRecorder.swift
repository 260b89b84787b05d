public import CoreNetKitEssentials
public import CoreNetKitChain
import CoreNetKitSystem

/// Keeps the records of the last calls, to inspect them or to write them to a file when something went wrong.
///
/// ```swift
/// let recorder = CallRecorder()
/// let client = Client().record(in: recorder)
/// ```
public final class CallRecorder: CallSink {
    /// When a recorder writes down what it has.
    public enum DumpReason: Sendable {
        /// A call has failed.
        case failure
    }

    private struct State {
        var records: [(record: CallRecord, size: Int)] = []
        var size = 0
        var dropped = 0
        /// How many have come in all.
        var written = 0
        var waiting: [Waiter<Void>] = []
        var dumps: [@Sendable (CallRecord, [CallRecord]) -> Void] = []
    }

    private let state = Locked(State())
    private let limit: Int
    private let byteLimit: Int
    let keepsBodies: Bool

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - limit: How many calls to keep.
    ///   - byteLimit: How many bytes to keep, roughly; the oldest calls go first.
    ///   - keepsBodies: Whether the contents of JSON and forms are kept, without their secrets.
    public init(keep limit: Int = 200, byteLimit: Int = 16 << 20, keepsBodies: Bool = false) {
        self.limit = max(limit, 1)
        self.byteLimit = max(byteLimit, 1)
        self.keepsBodies = keepsBodies
    }

    /// The kept records, the oldest first.
    public var records: [CallRecord] { state.withLock { $0.records.map(\.record) } }

    /// The record of the call that ended last.
    public var last: CallRecord? { state.withLock { $0.records.last?.record } }

    /// How many records were lost before they came here, because too many came at once.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Forgets everything.
    public func removeAll() {
        state.withLock { state in
            state.records = []
            state.size = 0
        }
    }

    /// Keeps a record.
    public func write(_ record: CallRecord) {
        let size = record.roughSize
        let (dumps, records, waiting) = state.withLock { state in
            state.records.append((record, size))
            state.size += size
            state.written += 1
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

    /// Counts what was lost.
    public func recordsDropped(_ count: Int) { state.withLock { $0.dropped += count } }

    /// What is kept of the records that came after the first `count` ones, and how many have come.
    func records(after count: Int) -> (records: [CallRecord], written: Int) {
        state.withLock { state in
            // The number comes from a request.
            let new = min(max(state.written - max(count, 0), 0), state.records.count)
            return (state.records.suffix(new).map(\.record), state.written)
        }
    }

    /// Waits until more than `count` records have come, or for the time of `clock`, or until its task is cancelled.
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

    /// Delivers the kept records whenever something goes wrong, off the path of the calls.
    ///
    /// - Parameters:
    ///   - reason: When.
    ///   - body: Takes the call that went wrong and all kept ones, that one included.
    public func dump(on reason: DumpReason, _ body: @escaping @Sendable (CallRecord, [CallRecord]) -> Void) {
        state.withLock { $0.dumps.append(body) }
    }

    /// Writes an HTTP archive of the kept calls, which only its owner can read.
    ///
    /// - Parameter file: Where to; an existing file of this user is replaced.
    /// - Throws: The error of the file system.
    public func writeHAR(to file: URL) throws { try PosixFiles().replace(file, with: HARWriter.data(of: records)) }

    /// Writes a page of the kept calls, which only its owner can read.
    ///
    /// - Parameter file: Where to; an existing file of this user is replaced.
    /// - Throws: The error of the file system.
    public func writeHTML(to file: URL) throws {
        try PosixFiles().replace(file, with: Data(CallPage(records).html.utf8))
    }
}

extension PolicyHolder {
    /// Keeps the records of these calls in a recorder; several clients can share one.
    public func record(in recorder: CallRecorder) -> Self {
        record(to: recorder, keepingBodies: recorder.keepsBodies)
    }
}

extension CallRecord {
    /// What a record costs to keep, in bytes, without what its texts share with others.
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
