import CoreNetKitHTTP

/// How long a stored response may be used without validation (RFC 9111, 4.2).
extension CacheVariant {
    /// The lifetime in milliseconds, that of the mode first; zero if it is unknown.
    package func lifetime(in mode: CacheMode) -> Int64 {
        if let ttl = mode.timeToLive, StatusCodes.allowsHeuristics(status) { return ttl }
        // RFC 9111, 5.3: a lifetime in Cache-Control takes precedence over Expires.
        if let maxAge = facts.control.maxAge { return maxAge * 1000 }
        if let expires = facts.expires { return Self.span(from: facts.date, to: expires) }
        return mode.usesHeuristics ? heuristicLifetime : 0
    }

    /// A tenth of the time since the last modification, at most a day (RFC 9111, 4.2.2).
    private var heuristicLifetime: Int64 {
        guard StatusCodes.allowsHeuristics(status) || facts.control.isPublic, let lastModified = facts.lastModified
        else { return 0 }
        return min(86_400_000, Self.span(from: lastModified, to: facts.date) / 10)
    }

    private static func span(from start: Int64, to end: Int64) -> Int64 {
        let (span, isTooLarge) = end.subtractingReportingOverflow(start)
        return isTooLarge ? 0 : max(0, span)
    }

    /// The age in milliseconds; `nil` if the clock has gone backwards since the response was received.
    package func age(at now: CacheTime) -> Int64? {
        // Not by `Date`: a wrong clock on either side would falsify every age (RFC 9111, 4.2.3).
        guard let resident = now.elapsed(since: responseTime) else { return nil }
        let delay = responseTime.elapsed(since: requestTime) ?? 0
        return resident.saturatingAdd(facts.age * 1000 + min(delay, 1 << 40))
    }

    /// How long it can be useful: while it is fresh, usable when stale, or can be validated.
    package func keepTime(in mode: CacheMode) -> Duration {
        let window = max(facts.control.staleWhileRevalidate ?? 0, facts.control.staleIfError ?? 0) * 1000
        let stale = max(window, mode.staleIfError ?? 0)
        let use = min(lifetime(in: mode).saturatingAdd(stale), .max >> 1)
        // A week if it can be validated: older responses have mostly changed.
        let canBeConfirmed = facts.entityTag != nil || facts.lastModified != nil
        return .milliseconds(max(use, canBeConfirmed ? 7 * 86_400_000 : 60_000))
    }
}
