import CoreNetKitHTTP
import Dispatch
import CoreNetKitSystem

/// The time limits of one exchange, checked by one timer.
///
/// `URLSession` does not report when a connection is established. The next phase begins with the task and so includes
/// connect: the first byte, or with a body the first progress of sending.
final class ExchangeTimer {
    private unowned let exchange: SessionExchange
    private let source: any DispatchSourceTimer
    private var scheduled: ContinuousClock.Instant?

    init(_ exchange: SessionExchange) {
        self.exchange = exchange
        source = DispatchSource.makeTimerSource(queue: exchange.engine.queue)
        source.setEventHandler { [weak self] in self?.fired() }
        schedule()
        source.resume()
    }

    func cancel() { source.cancel() }

    /// Checks the limits again; a timer that is set too early is kept, because it checks again itself.
    func schedule() {
        guard let due = due?.at else { return }
        if let scheduled, scheduled <= due { return }
        scheduled = due
        let nanoseconds = min(max(.zero, due - .now), .seconds(1_000_000_000)).wholeNanoseconds
        source.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)), leeway: .milliseconds(1))
    }

    private func fired() {
        scheduled = nil
        guard let due, due.at <= .now else { return schedule() }
        let text = "\(due.what) within \(due.limit.wholeMilliseconds) ms"
        var failure = SessionFailure.make(.timedOut, text, exchange)
        failure.endsCall = due.isTotal
        exchange.fail(failure)
    }

    private struct Due {
        let at: ContinuousClock.Instant
        let limit: Duration
        let what: String
        var isTotal = false
    }

    private var due: Due? {
        let limits = exchange.plan.timeouts
        let total = limits.total.map {
            Due(at: exchange.times.began + $0, limit: $0, what: "not finished", isTotal: true)
        }
        guard let stage = stageDue(limits) else { return total }
        guard let total else { return stage }
        return total.at <= stage.at ? total : stage
    }

    private func stageDue(_ limits: Timeouts) -> Due? {
        let times = exchange.times
        switch exchange.stage {
        case .preparing, .queued, .done: return nil
        case .opening where exchange.waitsForNetwork: return nil
        case .opening:
            return exchange.plan.hasBody
                ? due(limits.idle, since: times.started, "nothing sent")
                : due(limits.firstByte, since: times.started, "no first byte")
        case .waiting: return due(limits.firstByte, since: times.sent, "no first byte")
        case .sending: return due(limits.idle, since: times.activity, "nothing sent")
        case .receiving:
            return exchange.isSuspended ? nil : due(limits.idle, since: times.activity, "nothing received")
        }
    }

    private func due(_ limit: Duration?, since start: ContinuousClock.Instant?, _ what: String) -> Due? {
        guard let limit, let start else { return nil }
        return Due(at: start + limit, limit: limit, what: what)
    }
}
