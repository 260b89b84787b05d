import CoreNetKitChain
public import CoreNetKitHTTP
import CoreNetKitSystem

import CoreNetKitEssentials

/// Data of one call that the nodes of a cache and the caller of the chain exchange.
///
/// A task-local, because the call is made by a chain whose nodes know nothing of it.
struct CacheCall: Sendable {
    @TaskLocal static var current: CacheCall?

    struct State: Sendable {
        /// In place of the policy's mode.
        var mode: CacheMode?
        var outcome: CacheOutcome?
        var bytes: Data?
        /// Whether somebody compares them.
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

private enum PurposeKey: Attributes.Key {
    typealias Value = CachePurpose
}

/// Why stored responses are walked through.
enum CachePurpose: Sendable {
    case response, standIn
}

extension RequestContext {
    /// Under what the outer node looked: the inner node stores there.
    var cacheScope: CacheScope? {
        get { attributes[ScopeKey.self] }
        set { attributes[ScopeKey.self] = newValue }
    }

    var cachePurpose: CachePurpose {
        get { attributes[PurposeKey.self] ?? .response }
        set { attributes[PurposeKey.self] = newValue }
    }
}

enum OutcomeKey: Attributes.Key {
    typealias Value = CacheOutcome
}

extension TransportResponse {
    /// What the cache did for this response; `nil` where there is none.
    public var cache: CacheOutcome? {
        get { attributes[OutcomeKey.self] }
        set { attributes[OutcomeKey.self] = newValue }
    }
}
