import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The times of an exchange's events, as far as `URLSession` reveals them.
struct SessionExchangeTimes {
    let began = ContinuousClock.now
    let beganDate = Date()
    /// The exchange began to wait for its host's limit.
    var queued: ContinuousClock.Instant?
    /// The task was started.
    var started: ContinuousClock.Instant?
    /// The last byte of the body was passed to the session.
    var sent: ContinuousClock.Instant?
    var firstByte: ContinuousClock.Instant?
    /// The last activity in either direction.
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
                return end.length(from: start)
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
