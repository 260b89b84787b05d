public import CoreNetKit
import CoreNetKitChain
import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// Data that the nodes of a cache exchange with the caller of the chain during one call.
///
/// A task-local, because the nodes of the chain do not know it.
struct CacheCall: Sendable {
    @TaskLocal static var current: CacheCall?

    struct State: Sendable {
        /// Replaces the policy's mode.
        var mode: CacheMode?
        var outcome: CacheOutcome?
        var bytes: Data?
        /// Whether the caller compares the bytes of responses.
        var keepsBytes = false
    }

    let state: Locked<State>

    init(mode: CacheMode? = nil, keepsBytes: Bool = false) {
        state = Locked(State(mode: mode, keepsBytes: keepsBytes))
    }

    var mode: CacheMode? { state.withLock { $0.mode } }

    func note(_ outcome: CacheOutcome?, _ response: TransportResponse?) {
        state.withLock { state in
            state.outcome = outcome
            if state.keepsBytes { state.bytes = response?.body.data }
        }
    }
}

private enum ScopeKey: Attributes.Key {
    typealias Value = CacheScope
}

private enum FallbackKey: Attributes.Key {
    typealias Value = Bool
}

extension RequestContext {
    /// The scope of the outer node's look-up: the inner node stores there.
    var cacheScope: CacheScope? {
        get { attributes[ScopeKey.self] }
        set { attributes[ScopeKey.self] = newValue }
    }

    /// Whether a stored response is looked up because the server has failed.
    var isCacheFallback: Bool {
        get { attributes[FallbackKey.self] ?? false }
        set { attributes[FallbackKey.self] = newValue }
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
