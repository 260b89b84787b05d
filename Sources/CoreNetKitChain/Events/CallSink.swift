/// Who gets the records of finished calls: a recorder, a log, an exporter.
///
/// Records come one at a time, never on the path of a call: a slow sink delays nobody, and what it cannot keep up with
/// is dropped and counted.
///
/// ### Choose a sink
/// A `ClosureCallSink` for a few lines; recorder, metrics and exporters are in CoreNetKitObservability. Who wants the events of
/// calls that still run is a `LiveCallSink`.
///
/// ### Use a sink
/// `client.record(to: sink)`; several clients share one by a `CallFeed`. `flushRecords()` waits until it has got what has ended.
///
/// ### Implement a sink
/// `write` is called for one record at a time, and may take its time. Secrets are out of the record already.
///
/// ```swift
/// struct SlowCalls: CallSink {
///     func write(_ record: CallRecord) {
///         if record.duration > .seconds(2) { print(record.waterfall) }
///     }
/// }
/// ```
public protocol CallSink: Sendable {
    /// Takes the record of one finished call.
    func write(_ record: CallRecord)
    /// Learns that records were dropped since the last one because this sink was too slow.
    func recordsDropped(_ count: Int)
}

extension CallSink {
    /// Ignores the loss.
    public func recordsDropped(_ count: Int) {}
}

/// A sink that also gets the events of calls that still run.
public protocol LiveCallSink: CallSink {
    /// Takes one event as it happens; secrets are out.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - call: The number of its call.
    func write(_ event: CallEvent, of call: UInt64)
}

/// Hands each record to a closure.
public struct ClosureCallSink: CallSink {
    private let body: @Sendable (CallRecord) -> Void

    /// Creates the sink.
    public init(_ body: @escaping @Sendable (CallRecord) -> Void) { self.body = body }

    /// Calls the closure.
    public func write(_ record: CallRecord) { body(record) }
}
