import CoreNetKitSystem
import Dispatch

/// Brings records to one sink, off the path of the calls, in order and bounded.
///
/// Make one for each sink and give it to every client whose calls the sink is to see.
public final class CallFeed: Sendable {
    private struct State {
        var waiting: [Item] = []
        var isDraining = false
        var untoldLoss = 0
        var dropped = 0
        var flushes: [@Sendable () -> Void] = []
    }

    private enum Item: Sendable {
        case record(CallRecording)
        case event(CallEvent, call: UInt64)
    }

    private let sink: any CallSink
    private let live: (any LiveCallSink)?
    private let limit: Int
    private let state = Locked(State())

    /// Whether the sink wants events of calls that still run.
    var isLive: Bool { live != nil }

    /// Creates the way to a sink.
    ///
    /// - Parameters:
    ///   - sink: Who gets the records.
    ///   - limit: How many records may wait for the sink; more are dropped and counted.
    public init(to sink: any CallSink, limit: Int = 1024) {
        self.sink = sink
        self.limit = max(1, limit)
        live = sink as? any LiveCallSink
    }

    /// How many records and events were dropped because the sink was too slow.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Waits until the sink has got everything that had been recorded by now.
    public func flush() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                guard state.isDraining else { return true }
                state.flushes.append { continuation.resume() }
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    func deliver(_ call: CallRecording) { add(.record(call)) }

    func deliver(_ event: CallEvent, of call: UInt64) {
        if live != nil { add(.event(event, call: call)) }
    }

    private func add(_ item: Item) {
        let starts = state.withLock { state in
            guard state.waiting.count < limit else {
                state.dropped += 1
                state.untoldLoss += 1
                return false
            }
            state.waiting.append(item)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        // A queue of the system's own threads: a sink that blocks must not hold a thread of the calls' tasks.
        if starts { DispatchQueue.global(qos: .utility).async { self.drain() } }
    }

    private func drain() {
        while true {
            let (items, loss, flushes) = state.withLock { state in
                let taken = (state.waiting, state.untoldLoss, state.waiting.isEmpty ? state.flushes : [])
                if state.waiting.isEmpty {
                    state.isDraining = false
                    state.flushes = []
                }
                state.waiting = []
                state.untoldLoss = 0
                return taken
            }
            if loss > 0 { sink.recordsDropped(loss) }
            for item in items {
                switch item {
                case .record(let call): sink.write(call.frozen())
                case .event(let event, let call): live?.write(event.redacted(), of: call)
                }
            }
            for flush in flushes { flush() }
            if items.isEmpty { return }
        }
    }
}
