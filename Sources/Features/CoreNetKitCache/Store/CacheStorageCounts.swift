/// Statistics of a storage.
public struct CacheStorageCounts: Sendable, Hashable {
    /// Records with at least one variant; an estimate if other processes write, too.
    public var entries = 0
    /// Stored bytes; an estimate if other processes write, too.
    public var bytes: Int64 = 0
    /// Entries that were evicted to make room.
    public var evictions = 0
    /// Entries that arrived faster than they could be written; those that fit stay in the memory before the storage.
    public var tooFast = 0
    /// Failures to read, write or remove.
    public var errors = 0
    /// Damaged records and contents, which were removed.
    public var damaged = 0
    /// The last problem.
    public var problem: String?

    /// Creates zero counts.
    public init() {}
}
