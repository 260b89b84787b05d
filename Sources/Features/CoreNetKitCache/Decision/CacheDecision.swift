package import CoreNetKitHTTP

/// What to do with a request.
package enum CacheAction: Sendable, Equatable {
    /// Respond with a variant, or with the requested range of it.
    case use(Int)
    /// Respond with a variant although it is stale; `refresh` tells whether it is validated in the background.
    case useStale(Int, refresh: Bool)
    /// Ask the server with these fields whether one of these variants is still valid.
    case validate([Int], Headers)
    /// Request the missing bytes of a stored part, with these fields in place of the caller's.
    case complete(Int, Headers)
    /// Send the request to the server, with these fields added.
    case forward(Headers)
    /// Respond with 504: the network must not be used.
    case refuse
}

/// An action, its reason, and the facts behind it.
package struct CacheDecision: Sendable {
    package var action: CacheAction
    package var reason: CacheReason
    /// In milliseconds, if a variant was selected.
    package var age: Int64?
    /// In milliseconds, if a variant was selected.
    package var lifetime: Int64?
    /// The variant to use when the server fails.
    package var fallback: Int?

    /// The variant with which the action responds.
    package var usedIndex: Int? {
        switch action {
        case .use(let index), .useStale(let index, _): index
        case .validate, .complete, .forward, .refuse: nil
        }
    }

    package init(
        _ action: CacheAction,
        _ reason: CacheReason,
        age: Int64? = nil,
        lifetime: Int64? = nil,
        fallback: Int? = nil
    ) {
        self.action = action
        self.reason = reason
        self.age = age
        self.lifetime = lifetime
        self.fallback = fallback
    }
}
