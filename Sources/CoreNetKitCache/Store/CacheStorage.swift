/// Keeps records of resources: in memory, on disk, or in a service that several machines share.
///
/// ### Implement a storage
/// ``record(for:)``, ``apply(_:)``, ``counters(at:)`` and ``removeAll(partition:)`` make one; ``CacheRecord/apply(_:at:)`` has the
/// rules of edits and ``CacheCounterTable`` the counters, for who keeps them in a process. All that crosses is data, so
/// that a service may carry an edit out on its side.
///
/// Nothing here throws: what cannot be read is `nil`, what cannot be written is ``CacheEdit/Result/failed``. The cache
/// asks for what may leave the process only, waits for each call as long as it has patience, and goes on without. It
/// takes a mark that failed as one that is still to be made, and bypasses what it names until then. No lock is held
/// across a call. Keys come with their URL, for a storage that keeps its entries in the clear; one that names them by a
/// hash should compare.
public protocol CacheStorage: Sendable {
    /// What is stored of a resource, and what is counted.
    ///
    /// - Parameter key: The resource.
    /// - Returns: The record, without variants where nothing is stored; `nil` where nobody knows. Nothing is stored then.
    func record(for key: CacheKey) async -> CacheRecord?

    /// Carries out an edit as if nobody else did at the same time.
    ///
    /// - Parameter edit: The edit. Content of more than ``CacheVariant/inlineLimit`` comes by a ``writer(of:for:length:keepFor:)``.
    /// - Returns: What became of it.
    func apply(_ edit: CacheEdit) async -> CacheEdit.Result

    /// The counters at some slots, as they are now.
    ///
    /// - Parameter slots: Slots of groups.
    /// - Returns: A number for each; `nil` where nobody knows.
    func counters(at slots: [Int]) async -> [UInt64]?

    /// Removes what is stored for one partition, or everything, and changes the counter of it: what was begun before is
    /// not stored any more.
    ///
    /// - Parameter partition: Whose responses go; `nil` for all.
    /// - Returns: Whether they have gone.
    @discardableResult
    func removeAll(partition: String?) async -> Bool

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
    ///   - variant: The head; its content comes by the writer.
    ///   - key: The resource.
    ///   - length: The number of bytes, where it is known.
    ///   - keepFor: How long it can be of use.
    /// - Returns: A place to write to; `nil` where nothing of this length is kept.
    func writer(
        of variant: CacheVariant,
        for key: CacheKey,
        length: Int64?,
        keepFor: Duration
    ) async -> (any CacheWriter)?

    /// The record, where it is known without waiting; asking counts as use.
    func peek(_ key: CacheKey) -> CacheRecord?

    /// What is counted of a resource now, where that is known without waiting.
    func counters(of key: CacheKey) -> CacheCounters?

    /// Asks to be the one of all processes that asks the server for a resource.
    ///
    /// - Parameters:
    ///   - key: The resource.
    ///   - time: How long that is said of nobody else.
    /// - Returns: Whether it was granted.
    func lease(_ key: CacheKey, for time: Duration) async -> Bool

    /// Ends the lease of this process before its time; one that has passed to another process stays.
    ///
    /// - Parameter key: The resource.
    func endLease(_ key: CacheKey) async

    /// The resources of which something is stored.
    ///
    /// - Parameter partition: Whose; `nil` for all.
    /// - Returns: Their keys in no order; `nil` where the storage cannot tell.
    func keys(partition: String?) async -> [CacheKey]?

    /// Waits until what was stored so far will outlive the process, where it can.
    func flush() async

    /// Whether nothing that is given to it leaves the process: then it gets what is confidential, too.
    var staysInProcess: Bool { get }

    /// What happened so far.
    var counts: CacheStorageCounts { get async }
}

extension CacheStorage {
    /// The content beside the head; `nil` for content elsewhere.
    public func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)? {
        guard case .inline(let data) = variant.content else { return nil }
        return DataContent(data)
    }

    /// Collects up to ``CacheVariant/inlineLimit`` bytes, and puts the variant with them.
    public func writer(
        of variant: CacheVariant,
        for key: CacheKey,
        length: Int64?,
        keepFor: Duration
    ) async -> (any CacheWriter)? {
        guard length ?? 0 <= CacheVariant.inlineLimit else { return nil }
        return CollectingWriter(limit: Int64(CacheVariant.inlineLimit)) {
            await apply(.put(variant.holding(.inline($0)), key, keepFor: keepFor))
        }
    }

    /// Nothing.
    public func peek(_ key: CacheKey) -> CacheRecord? { nil }
    /// Nothing.
    public func counters(of key: CacheKey) -> CacheCounters? { nil }
    /// Granted.
    public func lease(_ key: CacheKey, for time: Duration) async -> Bool { true }
    /// Nothing.
    public func endLease(_ key: CacheKey) async {}
    /// Cannot tell.
    public func keys(partition: String?) async -> [CacheKey]? { nil }
    /// Nothing to wait for.
    public func flush() async {}
    /// It leaves the process.
    public var staysInProcess: Bool { false }
    /// Nothing is counted.
    public var counts: CacheStorageCounts { get async { CacheStorageCounts() } }
}
