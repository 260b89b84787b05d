/// A storage that may know a record without waiting.
package protocol ImmediateStorage: CacheStorage {
    /// What is known at once; using a record counts as its use.
    func peek(_ key: CacheKey) -> CachePeek
}

/// What a storage knows at once.
package enum CachePeek: Sendable {
    /// Only asking will tell.
    case unknown
    /// All that is stored, `nil` for nothing.
    case known(CacheRecord?)
}
