public import CoreNetKitEssentials

/// Keeps records of resources: in memory, on disk, or in a service that several machines share.
///
/// ### Implement a storage
/// Nothing here throws: what cannot be read is not there, and what cannot be written is lost, counted in ``counts``.
/// A caller holds no lock across a call. ``change(_:_:)`` reads, edits and writes one record as if nobody else did at the
/// same time; where that can fail (compare and swap over a network), the edit is applied again to what is there then,
/// so it must have no effect besides. Keys come with their URL, for a storage that keeps its entries in the clear; one
/// that does not should name its entries by a hash of it, and compare.
public protocol CacheStorage: Sendable {
    /// What is stored of a resource.
    ///
    /// - Parameter key: The resource.
    /// - Returns: The record, `nil` where nothing is stored.
    func record(for key: CacheKey) async -> CacheRecord?

    /// Reads, edits and writes the record of a resource; one without variants and invalidation need not be kept.
    ///
    /// - Parameters:
    ///   - key: The resource.
    ///   - edit: Changes the record; may be called more than once.
    func change(_ key: CacheKey, _ edit: @escaping @Sendable (inout CacheRecord) -> Void) async

    /// Opens the content of a variant.
    ///
    /// - Parameters:
    ///   - variant: A variant of the key's record.
    ///   - key: The resource.
    /// - Returns: The content; stays readable when the entry is replaced or removed meanwhile. `nil` where it is gone.
    func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)?

    /// Starts to write content whose length may not be known yet.
    ///
    /// - Parameters:
    ///   - key: The resource.
    ///   - length: The number of bytes, where it is known.
    /// - Returns: A place to write to; `nil` where nothing of this length is kept.
    func writer(for key: CacheKey, length: Int64?) async -> (any CacheWriter)?

    /// Removes what is stored for one partition, or everything.
    ///
    /// - Parameter partition: Whose responses go; `nil` for all. Writers of it that are open do not commit any more.
    func removeAll(partition: String?) async

    /// Waits until what was stored so far will outlive the process, where it can.
    func flush() async

    /// What happened so far.
    var counts: CacheStorageCounts { get async }
}

extension CacheStorage {
    /// Nothing to wait for.
    public func flush() async {}
}

/// Content that was opened, readable in pieces.
public protocol CacheContent: Sendable {
    /// The number of bytes.
    var length: Int64 { get }

    /// Reads bytes.
    ///
    /// - Parameter range: Positions inside of the content.
    /// - Returns: All of these bytes, `nil` where they cannot be read or are damaged.
    func read(_ range: Range<Int64>) async -> Data?
}

/// Takes the content of a response while it arrives.
public protocol CacheWriter: Sendable {
    /// Adds bytes.
    ///
    /// - Parameter chunk: The next bytes.
    /// - Returns: `false` where the entry is given up: too large, or it cannot be written.
    func write(_ chunk: Data) async -> Bool

    /// Ends the content and puts the variant that is made of it into the record.
    ///
    /// - Parameter make: Gives the variant, from where its content is now.
    /// - Returns: Whether it is stored.
    func commit(_ make: @escaping @Sendable (CacheVariant.Content) -> CacheVariant) async -> Bool

    /// Gives up the entry.
    func discard() async
}

/// What a storage did so far.
public struct CacheStorageCounts: Sendable, Hashable {
    /// Records with at least one variant; an estimate where others write too.
    public var entries = 0
    /// Bytes that are kept; an estimate where others write too.
    public var bytes: Int64 = 0
    /// Entries that had to go for others.
    public var evictions = 0
    /// Failures to read, write or remove.
    public var errors = 0
    /// Records and contents that were damaged, and were removed.
    public var damaged = 0
    /// What went wrong last.
    public var problem: String?

    /// Nothing has happened.
    public init() {}
}
