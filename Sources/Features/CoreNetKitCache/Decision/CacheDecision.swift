package import CoreNetKitHTTP

/// What to do with a request.
package enum CacheAction: Sendable, Equatable {
    /// Respond with a variant; cut a range out of it where the request asks for one.
    case use(Int)
    /// Respond with a variant although it is stale, and validate it in the background where `refresh` says so.
    case useStale(Int, refresh: Bool)
    /// Ask the server with these fields whether one of these variants may still be used.
    case validate([Int], Headers)
    /// Ask the server for what is missing of a part, with these fields in place of the caller's.
    case complete(Int, Headers)
    /// Ask the server, with these fields added.
    case forward(Headers)
    /// Respond with 504: the network must not be asked.
    case refuse
}

/// An action, why, and what is known beside it.
package struct CacheDecision: Sendable {
    package var action: CacheAction
    package var reason: CacheReason
    /// Milliseconds, where a variant was selected.
    package var age: Int64?
    /// Milliseconds, where a variant was selected.
    package var lifetime: Int64?
    /// The variant to use when the server fails.
    package var standIn: Int?

    /// The variant that the action responds with.
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
        standIn: Int? = nil
    ) {
        self.action = action
        self.reason = reason
        self.age = age
        self.lifetime = lifetime
        self.standIn = standIn
    }
}
