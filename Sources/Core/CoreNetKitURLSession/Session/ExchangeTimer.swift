import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The time limits of one exchange, checked by one timer.
///
/// `URLSession` does not report when a connection is there: the next phase begins with the task, the first byte, or
/// with a body the first progress of sending.
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
        let isReading = exchange.stage == .receiving
        let message = due.limit == .idle ? "nothing \(isReading ? "received" : "sent")" : due.limit.row.timeoutMessage
        let text = "\(message) within \(due.length.wholeMilliseconds) ms"
        var failure = SessionFailure.make(.timedOut, text, exchange)
        failure.endsCall = due.limit == .total
        exchange.fail(failure)
    }

    private typealias Due = (at: ContinuousClock.Instant, limit: PhaseLimit, length: Duration)

    private var due: Due? {
        let times = exchange.times
        let start: ContinuousClock.Instant? =
            switch exchange.stage {
            case .preparing, .queued, .done: nil
            case .opening: exchange.waitsForNetwork ? nil : times.started
            case .waiting: times.sent
            case .sending: times.activity
            case .receiving: exchange.isSuspended ? nil : times.activity
            }
        let total = due(.total, since: times.began)
        guard let phase = due(SessionFailure.phase(exchange).row.limit, since: start) else { return total }
        guard let total, total.at <= phase.at else { return phase }
        return total
    }

    private func due(_ limit: PhaseLimit, since start: ContinuousClock.Instant?) -> Due? {
        guard let length = exchange.plan.timeouts[limit], let start else { return nil }
        return (start + length, limit, length)
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
