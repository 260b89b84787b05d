package import CoreNetKitHTTP

/// What is looked up, and what is asked of it.
package struct CacheInquiry: Sendable {
    package let key: CacheKey
    package let question: CacheQuestion
    /// When the call ends that asks.
    var deadline: Duration?
}

/// What a look-up found, and what is to be done.
package struct CacheFinding: Sendable {
    package let key: CacheKey
    package let record: CacheRecord?
    package let decision: CacheDecision
    package let time: CacheTime
    /// Whether it is fresh, and validated all the same.
    var isDueEarly = false
    /// How often origins were cleared before the look-up.
    var clears: UInt64 = 0
    /// What was counted of all URLs of the path before the look-up; `nil` where nobody knows at once.
    var pathCounter: UInt64?
    /// When the call ends that looked.
    var deadline: Duration?

    /// The variant that the action responds with, `nil` where it does not.
    package var used: CacheVariant? { decision.usedIndex.flatMap { variant($0) } }

    /// Whether the response that the action gives is a success.
    package var isSuccess: Bool { used.map { 200...299 ~= $0.status } ?? false }

    /// Whether it is a success that needs no refresh.
    package var isFreshSuccess: Bool {
        if case .use = decision.action, !isDueEarly { isSuccess } else { false }
    }

    package func variant(_ index: Int) -> CacheVariant? {
        guard let variants = record?.variants, variants.indices.contains(index) else { return nil }
        return variants[index]
    }
}

/// A response with what the cache did for it.
package struct CachedResponse: Sendable {
    package var response: TransportResponse
    package var outcome: CacheOutcome

    package init(_ response: TransportResponse, _ outcome: CacheOutcome) {
        self.response = response
        self.outcome = outcome
    }
}
