public import CoreNetKit
import CoreNetKitChain
import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// Data that a cache's nodes exchange with the caller of the chain: a task-local, because other nodes do not know it.
struct CacheCall: Sendable {
    @TaskLocal static var current: Locked<CacheCall>?

    /// Replaces the policy's mode.
    var mode: CacheMode?
    /// Whether the caller compares the bytes of responses.
    var keepsBytes = false
    private(set) var outcome: CacheOutcome?
    private(set) var bytes: Data?

    mutating func note(_ outcome: CacheOutcome?, _ response: TransportResponse) {
        self.outcome = outcome
        if keepsBytes { bytes = response.body.data }
    }
}

extension RequestContext {
    /// The scope of the outer node's look-up: the inner node stores there.
    var cacheScope: CacheScope? {
        get { attributes[CacheScope.self] }
        set { attributes[CacheScope.self] = newValue }
    }
}

enum OutcomeKey: Attributes.Key {
    typealias Value = CacheOutcome
}

extension TransportResponse {
    /// What the cache did for this response; `nil` without a cache.
    public var cache: CacheOutcome? {
        get { attributes[OutcomeKey.self] }
        set { attributes[OutcomeKey.self] = newValue }
    }
}

extension Response {
    /// What the cache did for this response; `nil` without a cache.
    public var cache: CacheOutcome? { attributes[OutcomeKey.self] }
}
