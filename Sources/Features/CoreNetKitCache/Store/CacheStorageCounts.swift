/// What a storage did so far.
public struct CacheStorageCounts: Sendable, Hashable {
    /// Records with at least one variant; an estimate where others write too.
    public var entries = 0
    /// Bytes that are kept; an estimate where others write too.
    public var bytes: Int64 = 0
    /// Entries that had to go for others.
    public var evictions = 0
    /// Entries that came faster than they could be written; those that fit stay in the memory before the storage.
    public var tooFast = 0
    /// Failures to read, write or remove.
    public var errors = 0
    /// Records and contents that were damaged, and were removed.
    public var damaged = 0
    /// What went wrong last.
    public var problem: String?

    /// Nothing has happened.
    public init() {}
}
