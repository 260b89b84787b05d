/// Statistics of a cache.
public struct CacheCounts: Sendable, Hashable {
    /// Responses from the cache without validation, including stale ones.
    public var hits = 0
    /// Of the hits, those that were stale.
    public var staleHits = 0
    /// Responses from the cache that the server confirmed.
    public var validated = 0
    /// Responses from the server, by the parameter `fwd` of RFC 9211, such as `uri-miss` or `stale`.
    public var misses: [String: Int] = [:]
    /// Responses that were stored.
    public var stored = 0
    /// Requests refused because the network was not allowed and nothing usable was stored.
    public var refused = 0
    /// Validations in the background.
    public var refreshes = 0

    /// Creates zero counts.
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
