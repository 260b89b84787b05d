import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Decides what follows the outcome of an attempt: a pure function, the table in the documentation.
struct DeliveryRules: Sendable {
    struct Facts: Hashable, Sendable {
        var repetition: OutboxRepetition = .byMethod
        var isIdempotentMethod = false
        /// Attempts that the server may have seen, this one included.
        var attempts = 1
        /// Whether the server still knows the key of the first attempt.
        var keyIsAlive = true
        /// The media type of a genuine response.
        var expects: String?
    }

    enum Verdict: Hashable, Sendable {
        case delivered(Int)
        /// Retry later; counts as an attempt. The server may or may not have executed the request.
        case later(Duration, isKnownHarmless: Bool)
        /// Retry when the host can be reached; does not count as an attempt.
        case whenConnected(String)
        /// Retry later, because of a local limit; does not count as an attempt.
        case heldBack(Duration)
        /// The owner's entries wait for a token; does not count as an attempt.
        case paused(String)
        case dead(String)
        case inDoubt(String)
    }

    var options = Outbox.Options()

    /// Decides the next step; `random` is 0 to 1, for the wait.
    func verdict(on outcome: DeliveryOutcome, _ facts: Facts, random: Double) -> Verdict {
        switch outcome {
        case .response(let status, let retryAfter, let contentType):
            onResponse(status, retryAfter, contentType, facts, random)
        case .noConnection(let text): .whenConnected(text)
        case .heldBack(let wait):
            .heldBack(wait.map { min(max($0, .zero), options.longestRetryAfter) } ?? options.firstBackoff)
        case .unauthorized(let text): .paused(text)
        case .unknown(let text):
            facts.mayRepeatUnknown ? wait(nil, facts, random, isKnownHarmless: false) : .inDoubt(text)
        case .invalid(let text): .dead(text)
        case .unreadable(let text): .inDoubt(text)
        }
    }

    private func onResponse(
        _ status: Int,
        _ retryAfter: Duration?,
        _ contentType: String?,
        _ facts: Facts,
        _ random: Double
    ) -> Verdict {
        switch status {
        case 200...299:
            return isCaptive(contentType, facts) ? .whenConnected("another page came back") : .delivered(status)
        case 401: return .paused("status 401")
        case 403 where options.pausesOnForbidden: return .paused("status 403")
        case 407, 511: return .whenConnected("status \(status)")
        case 409 where facts.hasLivingKey: return wait(retryAfter, facts, random, isKnownHarmless: false)
        default:
            guard let transient = TransientStatus(rawValue: status) else { return .dead("status \(status)") }
            if transient.saysNothingWasDone {
                if facts.repetition == .atMostOnce { return .dead("status \(status)") }
                return wait(retryAfter, facts, random, isKnownHarmless: true)
            }
            guard facts.mayRepeatUnknown else { return .inDoubt("status \(status)") }
            return wait(retryAfter, facts, random, isKnownHarmless: false)
        }
    }

    /// Full jitter below a ceiling that doubles; a longer `Retry-After` of the server takes precedence.
    private func wait(_ retryAfter: Duration?, _ facts: Facts, _ random: Double, isKnownHarmless: Bool) -> Verdict {
        let ceiling = options.firstBackoff.doubled(facts.attempts - 1, upTo: options.longestBackoff)
        let pause = ceiling * min(max(random, 0), 1)
        let requested = min(retryAfter ?? .zero, options.longestRetryAfter)
        return .later(max(pause, requested), isKnownHarmless: isKnownHarmless)
    }

    private func isCaptive(_ contentType: String?, _ facts: Facts) -> Bool {
        guard let expects = facts.expects, let contentType else { return false }
        return contentType.lowercased().hasPrefix("text/html") && !expects.lowercased().hasPrefix("text/html")
    }
}

extension DeliveryRules.Facts {
    var hasLivingKey: Bool { if case .keyIsHonoured = repetition.rule { keyIsAlive } else { false } }

    /// Whether it may be sent again although the server may have executed it.
    var mayRepeatUnknown: Bool {
        switch repetition.rule {
        case .byMethod: isIdempotentMethod
        case .keyIsHonoured: keyIsAlive
        case .harmless: true
        case .atMostOnce: false
        }
    }
}

/// The end of one attempt, reduced to what the next step depends on.
enum DeliveryOutcome: Hashable, Sendable {
    case response(status: Int, retryAfter: Duration?, contentType: String?)
    /// Nothing was sent: name resolution, the connection or the server's certificate failed.
    case noConnection(String)
    /// Nothing was sent, because of a local limit or circuit breaker.
    case heldBack(retryAfter: Duration?)
    case unauthorized(String)
    /// The request may have been executed: the connection or the time ended after it was sent.
    case unknown(String)
    case invalid(String)
    /// A response arrived but could not be read; a repetition would give the same.
    case unreadable(String)

    init(_ response: TransportResponse, now: Date) {
        self = .response(
            status: response.status,
            retryAfter: RetryAfter.wait(of: response.headers) { now },
            contentType: response.headers["Content-Type"]
        )
    }

    init(_ error: TransportError) {
        let text = "\(error.code) in \(error.phase.rawValue)"
        switch error.code {
        case .invalidRequest, .unsupported, .bodyLengthMismatch: self = .invalid(text)
        case .requestBodyFailed where error.isSafeToResend: self = .invalid(text)
        case .responseTooLarge, .decompressionFailed, .fileFailed: self = .unreadable(text)
        default: self = error.isSafeToResend ? .noConnection(text) : .unknown(text)
        }
    }
}
