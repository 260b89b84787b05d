import CoreNetKitChain

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
