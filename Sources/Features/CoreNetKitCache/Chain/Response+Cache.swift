public import CoreNetKit

extension Response {
    /// What the cache did for this response; `nil` where there is none.
    public var cache: CacheOutcome? { attributes[OutcomeKey.self] }
}
