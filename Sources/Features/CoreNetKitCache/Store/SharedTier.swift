/// A storage that several processes share, as the cache treats it while it does not respond.
package protocol SharedTier: CacheStorage {
    /// Whether a call fails if this storage cannot say what is stored.
    var isRequired: Bool { get }

    /// The cache has not waited for a call of this storage any longer.
    func noteLate()
}
