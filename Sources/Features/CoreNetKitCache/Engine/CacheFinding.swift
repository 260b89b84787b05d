package import CoreNetKitHTTP

package struct CacheLookup: Sendable {
    package let key: CacheKey
    package let facts: CacheRequestFacts
    var deadline: Duration?
}

package struct CacheFinding: Sendable {
    package let key: CacheKey
    package let record: CacheRecord?
    package let decision: CacheDecision
    package let time: CacheTime
    /// Whether it is fresh, and due for an early validation.
    var isDueEarly = false
    /// The count of cleared origins before the look-up.
    var clearedOriginCount: UInt64 = 0
    /// The generation of the URL's path before the look-up; `nil` if it is not known without waiting.
    var pathGeneration: UInt64?
    var deadline: Duration?

    package var usedVariant: CacheVariant? { decision.usedIndex.flatMap { variant($0) } }

    package var isSuccess: Bool { usedVariant.map { 200...299 ~= $0.status } ?? false }

    /// Whether it is a success that needs no refresh.
    package var isFreshSuccess: Bool {
        if case .use = decision.action, !isDueEarly { isSuccess } else { false }
    }

    package func variant(_ index: Int) -> CacheVariant? {
        guard let variants = record?.variants, variants.indices.contains(index) else { return nil }
        return variants[index]
    }
}

package typealias CachedResponse = (response: TransportResponse, outcome: CacheOutcome)

/// The scope of a request's look-up: whose responses, in which mode, and whether they may outlive the process.
package struct CacheScope: Sendable, Hashable, Attributes.Key {
    package typealias Value = CacheScope

    package var partition: String
    /// What distinguishes the caller within the partition; empty if nothing does.
    package var caller = ""
    package var isPersistent: Bool
    package var mode: CacheMode
    package var secretRules = SecretRules.standard
    package var deadline: Duration?
    /// Whether a stored response is looked up because the server has failed.
    var isFallback = false

    package init(partition: String = "", isPersistent: Bool = true, mode: CacheMode = .standard) {
        (self.partition, self.isPersistent, self.mode) = (partition, isPersistent, mode)
    }
}
