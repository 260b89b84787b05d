public import CoreNetKitChain
import CoreNetKitSystem

/// What the cache did for one request: a member of `Cache-Status` (RFC 9211) as its text.
public struct CacheOutcome: Sendable, Hashable, CustomStringConvertible {
    /// The source of the response.
    public enum Source: String, Sendable, Hashable {
        /// The cache, without validation.
        case hit
        /// The cache, after the server confirmed it.
        case validated
        /// The server.
        case network
        /// None: the network was not allowed, and the cache had nothing usable.
        case refused
    }

    /// The source of the response.
    public var source: Source
    /// Why it was used, or could not be used without validation.
    public var reason: CacheReason
    /// The age of a response from the cache.
    public var age: Duration?
    /// How long it stays fresh; negative if it is stale.
    public var timeToLive: Duration?
    /// Whether the response was stored, or has updated a stored one.
    public var isStored = false
    /// The status of the server's response, if there was one.
    public var forwardStatus: Int?
    /// Whether the response is validated in the background.
    public var isRefreshing = false
    /// The tier from which the response was read; `nil` if it is not from the cache, or the storage does not tell.
    public var tier: CallEvent.CacheTier?

    package init(_ source: Source, _ reason: CacheReason.Code, age: Int64? = nil, lifetime: Int64? = nil) {
        self.source = source
        self.reason = CacheReason(reason)
        self.age = age.map { .milliseconds($0) }
        if let age, let lifetime { timeToLive = .milliseconds(lifetime.subtractingReportingOverflow(age).partialValue) }
    }

    /// Whether the content came from the cache.
    public var isFromCache: Bool { source == .hit || source == .validated }

    /// Whether the content came from the cache and was stale.
    public var isStale: Bool { source == .hit && (timeToLive.map { $0 <= .zero } ?? true) }

    /// The member of `Cache-Status`: `CoreNetKit; hit; ttl=35`, or `CoreNetKit; fwd=stale; fwd-status=304; stored`.
    public var description: String {
        var parts = ["CoreNetKit"]
        switch source {
        case .hit: parts.append("hit")
        case .refused: parts.append("detail=only-if-cached")
        case .network, .validated: parts.append("fwd=\(reason.forward ?? "stale")")
        }
        if let forwardStatus { parts.append("fwd-status=\(forwardStatus)") }
        if let timeToLive, isFromCache { parts.append("ttl=\(timeToLive.wholeSeconds)") }
        if isStored { parts.append("stored") }
        return parts.joined(separator: "; ")
    }
}

extension CallEvent.CacheOutcome {
    /// The outcome in the record of a call; its reason is the whole outcome as text.
    init(_ outcome: CacheOutcome) {
        let kind: Kind
        switch outcome.source {
        case .hit: kind = outcome.isStale ? .stale : .hit
        case .validated: kind = .validated
        case .network: kind = .miss
        case .refused: kind = .bypass
        }
        self.init(kind, reason: "\(outcome)", age: outcome.age, freshFor: outcome.timeToLive, tier: outcome.tier)
    }
}

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
