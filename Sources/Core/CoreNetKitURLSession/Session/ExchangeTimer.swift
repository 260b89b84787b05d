import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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

    private typealias Due = (at: ContinuousClock.Instant, limit: Duration, what: String, isTotal: Bool)

    private var due: Due? {
        let limits = exchange.plan.timeouts
        let total: Due? = limits.total.map { (exchange.times.began + $0, $0, "not finished", true) }
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
        return (start + limit, limit, what, false)
    }
}

/// The times of an exchange's events, as far as `URLSession` reveals them.
struct SessionExchangeTimes {
    let began = ContinuousClock.now
    let beganDate = Date()
    /// The exchange began to wait for its host's limit.
    var queued: ContinuousClock.Instant?
    var started: ContinuousClock.Instant?
    /// The last byte of the body was passed to the session.
    var sent: ContinuousClock.Instant?
    var firstByte: ContinuousClock.Instant?
    var activity: ContinuousClock.Instant?
    var platform = TransportTimings()

    var timings: TransportTimings {
        let now = ContinuousClock.now
        var timings = platform
        timings.total = now - began
        (timings.startDate, timings.startInstant) = (beganDate, began)
        timings.queue = (started ?? now) - (queued ?? now)
        if let firstByte, let started {
            if timings.firstByte == nil { timings.firstByte = firstByte - (sent ?? started) }
            timings.receive = now - firstByte
        }
        return timings
    }
}

#if !canImport(FoundationNetworking)
    extension SessionExchange {
        func measured(_ metrics: URLSessionTaskMetrics) {
            guard let last = metrics.transactionMetrics.last else { return }
            func between(_ start: Date?, _ end: Date?) -> Duration? {
                guard let start, let end else { return nil }
                return end.duration(since: start)
            }
            var timings = TransportTimings()
            timings.resolve = between(last.domainLookupStartDate, last.domainLookupEndDate)
            timings.connect = between(last.connectStartDate, last.secureConnectionStartDate ?? last.connectEndDate)
            timings.tls = between(last.secureConnectionStartDate, last.secureConnectionEndDate)
            timings.send = between(last.requestStartDate, last.requestEndDate)
            timings.firstByte = between(last.requestEndDate, last.responseStartDate)
            timings.bytesSent = last.countOfRequestHeaderBytesSent + last.countOfRequestBodyBytesSent
            timings.bytesReceived = last.countOfResponseHeaderBytesReceived + last.countOfResponseBodyBytesReceived
            timings.isConnectionReused = last.isReusedConnection
            switch last.networkProtocolName {
            case "http/1.0": timings.httpVersion = "1.0"
            case "http/1.1": timings.httpVersion = "1.1"
            case "h2": timings.httpVersion = "2"
            case "h3": timings.httpVersion = "3"
            default: break
            }
            if let address = last.remoteAddress, let port = last.remotePort {
                timings.remoteAddress = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
            }
            times.platform = timings
        }
    }
#endif
