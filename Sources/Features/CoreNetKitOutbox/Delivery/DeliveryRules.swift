import CoreNetKitHTTP
import CoreNetKitSystem

/// Decides what follows the outcome of an attempt: a pure function, the table in the documentation.
struct DeliveryRules: Hashable, Sendable {
    /// The properties of an entry that the decision depends on.
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

    /// The upper bound of the wait after the first failed attempt; it doubles with each one.
    var backoffBase: Duration = .seconds(1)
    var backoffCap: Duration = .seconds(15 * 60)
    /// The longest wait, whatever a server asks for.
    var longestRetryAfter: Duration = .seconds(24 * 3600)
    var pausesOnForbidden = false

    /// Decides the next step.
    ///
    /// - Parameters:
    ///   - outcome: How the attempt ended.
    ///   - facts: The properties of the entry that matter.
    ///   - random: 0 to 1, for the wait.
    /// - Returns: The next step.
    func verdict(on outcome: DeliveryOutcome, _ facts: Facts, random: Double) -> Verdict {
        switch outcome {
        case .response(let status, let retryAfter, let contentType):
            onResponse(status, retryAfter, contentType, facts, random)
        case .noConnection(let text): .whenConnected(text)
        case .heldBack(_, let wait): .heldBack(wait.map { min(max($0, .zero), longestRetryAfter) } ?? backoffBase)
        case .unauthorized(let text): .paused(text)
        case .unknown(let text): onUnknown(text, facts, random)
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
        case 403 where pausesOnForbidden: return .paused("status 403")
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

    private func onUnknown(_ text: String, _ facts: Facts, _ random: Double) -> Verdict {
        facts.mayRepeatUnknown ? wait(nil, facts, random, isKnownHarmless: false) : .inDoubt(text)
    }

    /// Full jitter below a ceiling that doubles; a longer `Retry-After` of the server takes precedence.
    private func wait(
        _ retryAfter: Duration?,
        _ facts: Facts,
        _ random: Double,
        isKnownHarmless: Bool
    ) -> Verdict {
        let ceiling = backoffBase.doubled(facts.attempts - 1, upTo: backoffCap)
        let pause = ceiling * min(max(random, 0), 1)
        let requested = min(retryAfter ?? .zero, longestRetryAfter)
        return .later(max(pause, requested), isKnownHarmless: isKnownHarmless)
    }

    private func isCaptive(_ contentType: String?, _ facts: Facts) -> Bool {
        guard let expects = facts.expects?.lowercased(), let contentType = contentType?.lowercased() else {
            return false
        }
        return contentType.hasPrefix("text/html") && !expects.hasPrefix("text/html")
    }
}

extension DeliveryRules.Facts {
    var hasLivingKey: Bool {
        if case .keyIsHonoured = repetition.rule { keyIsAlive } else { false }
    }

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
