/// A storage that several processes share, and how the cache treats its failure to respond.
package protocol SharedTier: CacheStorage {
    /// Whether a call fails if this storage cannot say what is stored.
    var isRequired: Bool { get }

    /// A call of this storage has timed out.
    func noteLate()
}
