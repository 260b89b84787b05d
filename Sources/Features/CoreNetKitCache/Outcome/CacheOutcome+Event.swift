import CoreNetKitChain

extension CallEvent.CacheOutcome {
    /// The outcome as the record of a call has it; its reason is the whole outcome in words.
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
