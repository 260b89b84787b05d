import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch

/// Receives the records of finished calls: a recorder, a log, an exporter.
///
/// Records arrive one at a time, never on the path of a call: a slow sink does not delay calls, and records beyond its
/// capacity are dropped and counted.
///
/// ### Choose a sink
/// A `ClosureCallSink` for a few lines; recorder, metrics and exporters are in CoreNetKitObservability. To receive
/// events of running calls, implement a `LiveCallSink`.
///
/// ### Use a sink
/// `client.record(to: sink)`; several clients share one through a `CallFeed`. `flushRecords()` waits until it has
/// received all finished calls.
///
/// ### Implement a sink
/// `write` is called for one record at a time, and may take long. Secrets are already removed from the record.
///
/// ```swift
/// struct SlowCalls: CallSink {
///     func write(_ record: CallRecord) {
///         if record.duration > .seconds(2) { print(record.waterfall) }
///     }
/// }
/// ```
public protocol CallSink: Sendable {
    /// Receives the record of one finished call.
    func write(_ record: CallRecord)
    /// Called when records were dropped because this sink was too slow; `count` is the number since the last call.
    func recordsDropped(_ count: Int)
}

extension CallSink {
    /// Ignores the loss.
    public func recordsDropped(_ count: Int) {}
}

/// A sink that also receives the events of running calls.
public protocol LiveCallSink: CallSink {
    /// Receives one event as it happens, without secrets, and the number of its call.
    func write(_ event: CallEvent, of call: UInt64)
}

/// A sink that looks at running calls when it needs to; it gets no events.
package protocol CallWatcher: CallSink {
    /// Called at the start of each call, on the call's path: it must be quick.
    func begin(_ recording: CallRecording, of call: UInt64)
}

/// Passes each record to a closure.
public struct ClosureCallSink: CallSink {
    private let body: @Sendable (CallRecord) -> Void

    /// Creates the sink.
    public init(_ body: @escaping @Sendable (CallRecord) -> Void) { self.body = body }

    /// Calls the closure.
    public func write(_ record: CallRecord) { body(record) }
}

/// Delivers records to one sink, off the path of the calls, in order and with bounded memory.
///
/// Create one for each sink and pass it to every client whose calls the sink should receive. The queue is bounded by
/// number and by bytes; a slow or hanging sink costs that memory and a thread, and does not delay other sinks.
public final class CallFeed: Sendable {
    private struct State {
        var waiting: [Item] = []
        /// The rough size of queued records, and of those taken for the sink but not written yet.
        var bytes = 0
        var isDraining = false
        var unreportedLoss = 0
        var dropped = 0
    }

    private enum Content: Sendable {
        case record(CallRecording)
        case event(CallEvent, call: UInt64, SecretRules)
        /// A marker: when its turn comes, all earlier records have been delivered.
        case mark(@Sendable () -> Void)
    }

    private typealias Item = (content: Content, bytes: Int)

    private let sink: any CallSink
    private let live: (any LiveCallSink)?
    /// The counter that is called at the end of each call, before the record is frozen.
    let counter: (any CallCounter)?
    let watcher: (any CallWatcher)?
    private let limit: Int
    private let byteLimit: Int
    private let state = Locked(State())
    /// A separate queue: a blocking sink holds neither a thread of the calls' tasks nor one that other sinks need.
    private let queue = DispatchQueue(label: "CoreNetKit.calls", qos: .utility)

    /// Whether the sink receives events of running calls.
    var isLive: Bool { live != nil }

    /// Whether the sink only counts: no record is made for it.
    var isCounter: Bool { counter != nil && live == nil }

    /// Creates the feed of a sink; queued records beyond the limits of number and rough size are dropped and counted.
    public init(to sink: any CallSink, limit: Int = 1024, byteLimit: Int = 16 << 20) {
        self.sink = sink
        self.limit = max(1, limit)
        self.byteLimit = max(1, byteLimit)
        live = sink as? any LiveCallSink
        counter = sink as? any CallCounter
        watcher = sink as? any CallWatcher
    }

    /// The number of records and events that were dropped because the sink was too slow.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    package var waitingBytes: Int { state.withLock { $0.bytes } }

    /// Waits until the sink has received everything that was recorded before the call.
    ///
    /// It does not wait for later records; cancelling the task ends the wait.
    public func flush() async {
        let waiter = Waiter<Void>()
        let isIdle = state.withLock { state in
            guard state.isDraining else { return true }
            state.waiting.append((.mark { waiter.resume(.success(())) }, bytes: 0))
            return false
        }
        // A sink may never return, so this wait can be cancelled.
        if !isIdle { try? await waiter.value() }
    }

    /// Passes a finished call to a counting sink, before its record is frozen; other sinks ignore it.
    func count(_ call: CallRecording) {
        guard let counter else { return }
        var statistics = call.statistics()
        counter.count(&statistics)
    }

    func deliver(_ call: CallRecording) {
        if counter == nil { add((.record(call), bytes: call.roughSize)) }
    }

    func deliver(_ event: CallEvent, of call: UInt64, by secrets: SecretRules) {
        if live != nil { add((.event(event, call: call, secrets), bytes: event.roughSize)) }
    }

    private func add(_ item: Item) {
        let needsDrain = state.withLock { state in
            // A single record always fits, whatever its size.
            guard state.waiting.count < limit, state.bytes == 0 || state.bytes + item.bytes <= byteLimit else {
                state.dropped += 1
                state.unreportedLoss += 1
                return false
            }
            state.waiting.append(item)
            state.bytes += item.bytes
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if needsDrain { queue.async { self.drain() } }
    }

    private func drain() {
        while true {
            let (items, loss) = state.withLock { state in
                let taken = (state.waiting, state.unreportedLoss)
                if state.waiting.isEmpty { state.isDraining = false }
                state.waiting = []
                state.unreportedLoss = 0
                return taken
            }
            if loss > 0 { sink.recordsDropped(loss) }
            for item in items { write(item) }
            if items.isEmpty { return }
        }
    }

    private func write(_ item: Item) {
        switch item.content {
        case .record(let call): sink.write(call.frozen())
        case .event(let event, let call, let secrets): live?.write(event.redacted(by: secrets), of: call)
        case .mark(let reached): reached()
        }
        state.withLock { $0.bytes -= item.bytes }
    }
}
