/// What a caller may show now, of a resource that is asked for in the cache first and then in the network.
public struct CacheUpdate<Value: Sendable>: Sendable {
    /// The value.
    public let value: Value
    /// Whether it may be outdated.
    public let isStale: Bool
    /// Why there is nothing newer; the value is the one that was shown before.
    public let error: (any Error)?
    /// What the cache did for it.
    public let outcome: CacheOutcome?
}
