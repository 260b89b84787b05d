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
    /// Receives one event as it happens, without secrets.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - call: The number of its call.
    func write(_ event: CallEvent, of call: UInt64)
}

/// Passes each record to a closure.
public struct ClosureCallSink: CallSink {
    private let body: @Sendable (CallRecord) -> Void

    /// Creates the sink.
    public init(_ body: @escaping @Sendable (CallRecord) -> Void) { self.body = body }

    /// Calls the closure.
    public func write(_ record: CallRecord) { body(record) }
}
