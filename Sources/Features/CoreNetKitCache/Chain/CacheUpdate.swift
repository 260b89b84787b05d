/// A value to show for a resource that is read first from the cache and then from the network.
public struct CacheUpdate<Value: Sendable>: Sendable {
    /// The value.
    public let value: Value
    /// Whether it may be outdated.
    public let isStale: Bool
    /// Why there is no newer value; then the value is the one that was shown before.
    public let error: (any Error)?
    /// What the cache did for it.
    public let outcome: CacheOutcome?
}
