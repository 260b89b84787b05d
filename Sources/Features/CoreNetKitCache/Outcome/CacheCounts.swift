/// What a cache did so far.
public struct CacheCounts: Sendable, Hashable {
    /// Responses from the cache without asking the server, stale ones included.
    public var hits = 0
    /// Of the hits, those that were stale.
    public var staleHits = 0
    /// Responses from the cache that the server confirmed.
    public var validated = 0
    /// Responses from the server, by the parameter `fwd` of RFC 9211, such as `uri-miss` or `stale`.
    public var misses: [String: Int] = [:]
    /// Responses that were stored.
    public var stored = 0
    /// Requests that were refused because only the cache was to be asked.
    public var refused = 0
    /// Validations in the background.
    public var refreshes = 0

    /// Nothing has happened.
    public init() {}

    package mutating func note(_ outcome: CacheOutcome) {
        switch outcome.source {
        case .hit:
            hits += 1
            if outcome.isStale { staleHits += 1 }
        case .validated: validated += 1
        case .network: misses[outcome.reason.forward ?? "miss", default: 0] += 1
        case .refused: refused += 1
        }
        if outcome.isStored && outcome.source == .network { stored += 1 }
    }
}
