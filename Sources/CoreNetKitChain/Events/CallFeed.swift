import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch

/// Brings records to one sink, off the path of the calls, in order and bounded.
///
/// Make one for each sink and give it to every client whose calls the sink is to see. What waits is bounded by number
/// and by bytes; a sink that is slow, or never comes back, costs that and a thread, and no other sink waits for it.
public final class CallFeed: Sendable {
    private struct State {
        var waiting: [Item] = []
        /// Of what waits, and of what was taken for the sink and not written yet.
        var bytes = 0
        var isDraining = false
        var untoldLoss = 0
        var dropped = 0
    }

    private struct Item: Sendable {
        enum Content: Sendable {
            case record(CallRecording)
            case event(CallEvent, call: UInt64, SecretRules)
            /// What stands before it has been delivered when its turn comes.
            case mark(@Sendable () -> Void)
        }

        let content: Content
        /// Roughly.
        let bytes: Int
    }

    private let sink: any CallSink
    private let live: (any LiveCallSink)?
    /// Who counts at the end of each call, before anybody freezes it.
    let counter: (any CallCounter)?
    private let limit: Int
    private let byteLimit: Int
    private let state = Locked(State())
    /// Of its own: a sink that blocks holds no thread of the calls' tasks, and none that other sinks wait for.
    private let queue = DispatchQueue(label: "CoreNetKit.calls", qos: .utility)

    /// Whether the sink wants events of calls that still run.
    var isLive: Bool { live != nil }

    /// Whether the sink only counts: no record is made for it.
    var isCounter: Bool { counter != nil && live == nil }

    /// Creates the way to a sink.
    ///
    /// - Parameters:
    ///   - sink: Who gets the records.
    ///   - limit: How many records may wait for the sink; more are dropped and counted.
    ///   - byteLimit: How many bytes may wait for it, roughly; what goes beyond is dropped and counted.
    public init(to sink: any CallSink, limit: Int = 1024, byteLimit: Int = 16 << 20) {
        self.sink = sink
        self.limit = max(1, limit)
        self.byteLimit = max(1, byteLimit)
        live = sink as? any LiveCallSink
        counter = sink as? any CallCounter
    }

    /// How many records and events were dropped because the sink was too slow.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Roughly what the sink's slowness costs now.
    package var waitingBytes: Int { state.withLock { $0.bytes } }

    /// Waits until the sink has got everything that had been recorded by now; what comes later is not waited for.
    public func flush() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                guard state.isDraining else { return true }
                state.waiting.append(Item(content: .mark { continuation.resume() }, bytes: 0))
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Takes a finished call, before anybody freezes it; only a sink that counts does something here.
    func count(_ call: CallRecording) {
        guard let counter else { return }
        var figures = call.figures()
        counter.count(&figures)
    }

    func deliver(_ call: CallRecording) {
        if counter == nil { add(Item(content: .record(call), bytes: call.roughSize)) }
    }

    func deliver(_ event: CallEvent, of call: UInt64, by secrets: SecretRules) {
        if live != nil { add(Item(content: .event(event, call: call, secrets), bytes: event.roughSize)) }
    }

    private func add(_ item: Item) {
        let starts = state.withLock { state in
            // One finds room always, however large it is.
            guard state.waiting.count < limit, state.bytes == 0 || state.bytes + item.bytes <= byteLimit else {
                state.dropped += 1
                state.untoldLoss += 1
                return false
            }
            state.waiting.append(item)
            state.bytes += item.bytes
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if starts { queue.async { self.drain() } }
    }

    private func drain() {
        while true {
            let (items, loss) = state.withLock { state in
                let taken = (state.waiting, state.untoldLoss)
                if state.waiting.isEmpty { state.isDraining = false }
                state.waiting = []
                state.untoldLoss = 0
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
        case .mark(let pass): pass()
        }
        state.withLock { $0.bytes -= item.bytes }
    }
}
