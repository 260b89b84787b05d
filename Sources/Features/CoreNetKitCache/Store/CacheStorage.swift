/// Keeps records of resources: in memory, on disk, or in a service that several machines share.
///
/// ### Choose a storage
///
/// Most programs need none by name: a ``ResponseCache`` keeps its entries in memory, and with a ``CacheDisk`` in files
/// as well. `SharedCacheStorage` of CoreNetKitFleet is for several processes; ``TieredStorage`` puts a fast storage,
/// such as ``MemoryStorage``, in front of another one.
///
/// ### Use a storage
/// `client.cache(ResponseCache(storage: storage))`.
///
/// ### Implement a storage
/// ``record(for:)``, ``apply(_:)``, ``generations(at:)`` and ``removeAll(partition:)`` make one;
/// ``CacheRecord/apply(_:at:)`` has the rules of edits and ``CacheGenerationTable`` the generations, for storages in
/// the process. Only data is passed, so that a remote service can execute an edit on its side. The recipe `OwnCacheStorage`
/// is one of twenty lines; `CacheStorageConformance` of CoreNetKitCacheConformance checks the rules.
///
/// No method throws: an unreadable value is `nil`, a failed write is ``CacheEdit/Result/failed``. The cache passes only
/// responses that may leave the process, waits for each call up to its timeout, and then continues without the result.
/// It repeats a failed invalidation, and bypasses the invalidated URLs until then. No lock is held across a call. Keys
/// contain their URL, for a storage that keeps its entries in the clear; one that identifies them by a hash should
/// compare.
public protocol CacheStorage: Sendable {
    /// The stored responses of a resource, none of them if nothing is stored, and its generations.
    ///
    /// `nil` only if they are unknown: then the response is not stored.
    func record(for key: CacheKey) async -> CacheRecord?

    /// Executes an edit atomically.
    ///
    /// Content over ``CacheVariant/inlineLimit`` arrives by ``writer(of:for:length:keepFor:)``.
    func apply(_ edit: CacheEdit) async -> CacheEdit.Result

    /// The current generation at each of some slots of groups; `nil` if unknown.
    func generations(at slots: [Int]) async -> [UInt64]?

    /// Removes the responses of one partition, or with `nil` everything; returns whether they were removed.
    ///
    /// Changes the partition's generation: responses of earlier exchanges are no longer stored.
    @discardableResult
    func removeAll(partition: String?) async -> Bool

    /// Opens the content of a variant of the key's record; `nil` if it is gone.
    ///
    /// It stays readable if the entry is replaced or removed in the meantime.
    func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)?

    /// Starts to write content, whose length may not be known yet; `nil` if content of this length is not stored.
    ///
    /// The variant is its head, and `keepFor` how long it can be useful.
    func writer(of variant: CacheVariant, for key: CacheKey, length: Int64?, keepFor: Duration) async
        -> (any CacheWriter)?

    /// The record, if it is in memory already, without waiting; a call counts as use.
    func loadedRecord(for key: CacheKey) -> CacheRecord?

    /// The current generations of a resource, if they are known without waiting.
    func generations(of key: CacheKey) -> CacheGenerations?

    /// Requests a lease: of all processes, only its holder requests the resource from the server in this time.
    ///
    /// - Returns: Whether it was granted.
    func lease(_ key: CacheKey, for time: Duration) async -> Bool

    /// Ends the lease of this process early; has no effect on another process's lease.
    func endLease(_ key: CacheKey) async

    /// The keys of the resources with stored responses, for a user or for all; `nil` if the storage cannot list them.
    func keys(partition: String?) async -> [CacheKey]?

    /// Waits until all writes so far will outlive the process, if the storage is persistent.
    func flush() async

    /// Whether its data never leaves the process: then it gets confidential responses, too.
    var staysInProcess: Bool { get }

    /// The statistics so far.
    var counts: CacheStorageCounts { get async }
}

extension CacheStorage {
    /// The content beside the head; `nil` for content elsewhere.
    public func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)? {
        guard case .inline(let data) = variant.content else { return nil }
        return DataContent(data)
    }

    /// Collects up to ``CacheVariant/inlineLimit`` bytes, and stores the variant with them.
    public func writer(of variant: CacheVariant, for key: CacheKey, length: Int64?, keepFor: Duration) async
        -> (any CacheWriter)?
    {
        guard length ?? 0 <= CacheVariant.inlineLimit else { return nil }
        return CollectingWriter(limit: Int64(CacheVariant.inlineLimit)) {
            await apply(.put(variant.withContent(.inline($0)), key, keepFor: keepFor))
        }
    }

    /// Unknown without waiting.
    public func loadedRecord(for key: CacheKey) -> CacheRecord? { nil }
    /// Unknown without waiting.
    public func generations(of key: CacheKey) -> CacheGenerations? { nil }
    /// Always granted.
    public func lease(_ key: CacheKey, for time: Duration) async -> Bool { true }
    /// Does nothing.
    public func endLease(_ key: CacheKey) async {}
    /// Cannot list its keys.
    public func keys(partition: String?) async -> [CacheKey]? { nil }
    /// Returns at once.
    public func flush() async {}
    /// Data leaves the process.
    public var staysInProcess: Bool { false }
    /// No statistics.
    public var counts: CacheStorageCounts { get async { CacheStorageCounts() } }
}

/// Statistics of a storage.
public struct CacheStorageCounts: Sendable, Hashable {
    /// Records with at least one variant; an estimate if other processes write, too.
    public var entries = 0
    /// Stored bytes; an estimate if other processes write, too.
    public var bytes: Int64 = 0
    /// Entries that were evicted to make room.
    public var evictions = 0
    /// Entries that arrived faster than they could be written; those that fit stay in the memory before the storage.
    public var droppedWrites = 0
    /// Failures to read, write or remove.
    public var errors = 0
    /// Damaged records and contents, which were removed.
    public var damaged = 0
    /// The last problem.
    public var problem: String?

    /// Creates zero counts.
    public init() {}
}

/// A storage that several processes share, and how the cache treats its failure to respond.
package protocol SharedTier: CacheStorage {
    /// Whether a call fails if this storage cannot say what is stored.
    var isRequired: Bool { get }

    func reportTimeout()
}
