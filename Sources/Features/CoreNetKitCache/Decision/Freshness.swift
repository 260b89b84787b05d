/// How long a stored response may be used without validation (RFC 9111, 4.2).
package enum Freshness {
    /// The longest estimated lifetime: one day.
    package static let heuristicLimit: Int64 = 86_400_000

    /// The lifetime in milliseconds, that of the mode first; zero if it is unknown.
    package static func lifetime(of variant: CacheVariant, _ mode: CacheMode) -> Int64 {
        let facts = variant.facts
        if let ttl = mode.timeToLive, StatusCodes.allowsHeuristics(variant.status) { return ttl }
        // RFC 9111, 5.3: a lifetime in Cache-Control takes precedence over Expires.
        if let maxAge = facts.control.maxAge { return maxAge * 1000 }
        switch facts.expiry {
        case .at(let time): return span(from: facts.date, to: time)
        case .unreadable: return 0
        case .absent: return mode.usesHeuristics ? heuristicLifetime(of: variant) : 0
        }
    }

    /// A tenth of the time since the last modification, at most a day (RFC 9111, 4.2.2).
    private static func heuristicLifetime(of variant: CacheVariant) -> Int64 {
        guard StatusCodes.allowsHeuristics(variant.status) || variant.facts.control.isPublic,
            let lastModified = variant.facts.lastModified
        else { return 0 }
        return min(heuristicLimit, span(from: lastModified, to: variant.facts.date) / 10)
    }

    private static func span(from start: Int64, to end: Int64) -> Int64 {
        let (span, isTooLarge) = end.subtractingReportingOverflow(start)
        return isTooLarge ? 0 : max(0, span)
    }

    /// The age in milliseconds; `nil` if the clock has gone backwards since the response was received.
    ///
    /// `Date` is not used: a wrong clock on either side would falsify every age (RFC 9111, 4.2.3).
    package static func age(of variant: CacheVariant, at now: CacheTime) -> Int64? {
        guard let resident = now.elapsed(since: variant.received) else { return nil }
        let delay = variant.received.elapsed(since: variant.requested) ?? 0
        let (age, isTooLarge) = resident.addingReportingOverflow(variant.facts.age * 1000 + min(delay, 1 << 40))
        return isTooLarge ? .max : age
    }

    /// How long a stored response can be useful: while it is fresh, usable when stale, or can be validated.
    package static func use(of variant: CacheVariant, _ mode: CacheMode) -> Duration {
        let control = variant.facts.control
        let windows = [control.staleWhileRevalidate, control.staleIfError].compactMap { $0.map { $0 * 1000 } }
        let stale = max(windows.max() ?? 0, mode.staleIfError ?? 0)
        let canBeConfirmed = variant.facts.entityTag != nil || variant.facts.lastModified != nil
        let (sum, isTooLarge) = lifetime(of: variant, mode).addingReportingOverflow(stale)
        return .milliseconds(max(isTooLarge ? .max >> 1 : sum, canBeConfirmed ? confirmable : 60_000))
    }

    /// A week: older responses have mostly changed.
    private static let confirmable: Int64 = 7 * 86_400_000
}
