public import CoreNetKit

extension Response {
    /// What the cache did for this response; `nil` without a cache.
    public var cache: CacheOutcome? { attributes[OutcomeKey.self] }
}
