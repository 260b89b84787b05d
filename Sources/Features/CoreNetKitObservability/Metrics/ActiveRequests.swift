public import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The requests in flight, by method and server; created by ``CallMetrics/activeRequests``.
public final class ActiveRequests: LiveCallSink {
    private struct State {
        var open: [UInt64: [Int: HTTPLabels]] = [:]
        /// Known series stay in the table with 0, so that a graph of them returns to zero.
        var counts: [HTTPLabels: Int64] = [:]

        mutating func end(_ target: HTTPLabels) { counts[target, default: 1] -= 1 }
    }

    private static let maxSeries = 2000
    private let state = Locked(State())

    init() {}

    /// Counts the start or the end of a request.
    public func write(_ event: CallEvent, of call: UInt64) {
        switch event.kind {
        case .exchangeStarted(let sent):
            let target = HTTPLabels(sent)
            state.withLock { state in
                guard state.counts[target] != nil || state.counts.count < Self.maxSeries else { return }
                state.open[call, default: [:]][event.exchange] = target
                state.counts[target, default: 0] += 1
            }
        case .exchangeEnded:
            state.withLock { state in
                guard let target = state.open[call]?.removeValue(forKey: event.exchange) else { return }
                state.end(target)
            }
        default: break
        }
    }

    /// Removes the call.
    public func write(_ record: CallRecord) {
        state.withLock { state in
            for target in (state.open.removeValue(forKey: record.call) ?? [:]).values { state.end(target) }
        }
    }

    /// Some of the lost records may be ends: the count starts again.
    public func recordsDropped(_ count: Int) {
        state.withLock { state in
            state.open = [:]
            for target in state.counts.keys { state.counts[target] = 0 }
        }
    }

    var series: [MetricTable.Series] {
        let counts = state.withLock(\.counts).sorted { left, right in
            (left.key.address, left.key.port, left.key.method) < (right.key.address, right.key.port, right.key.method)
        }
        return counts.map { (labels: $0.labels, value: .gauge($1)) }
    }
}
