public import CoreNetKitEssentials

/// State that several processes share: versioned values, leases, token buckets, and reports of changes.
///
/// ### Choose it
/// ``LocalStore`` keeps everything in the process: the default in tests and examples, and enough for one process.
/// `ValkeyStore` of `CoreNetKitFleet` uses a server. ``GuardedStore`` adds a timeout to any other store, and skips
/// it while it is unavailable.
///
/// ### Implement it
/// Implement it over the client of another store, and check it with `SharedStoreConformance`. Each call must end within a
/// timeout of the store, tens of milliseconds, because callers set none. A cancelled call throws
/// ``SharedStoreError/Code/cancelled``. A lifetime is at least a millisecond, a value at most ``SharedValue/limit``
/// bytes; anything else is ``SharedStoreError/Code/invalid``.
public protocol SharedStore: Sendable {
    /// Reads a value.
    ///
    /// - Returns: The value with its version, `nil` if there is none or it has expired.
    func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue?

    /// Writes a value if the current version is the expected one.
    ///
    /// Versions of a key are above 0 and grow. A version is never used again, not even after the value was removed or has
    /// expired.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - bytes: The value, at most ``SharedValue/limit`` bytes.
    ///   - version: `nil` overwrites any value; 0 requires that there is no value; any other number requires that version.
    ///   - timeToLive: How long the value is kept, from now, at least a millisecond.
    /// - Returns: The new version; `nil` if the current version was another one, and nothing was written.
    /// - Throws: ``SharedStoreError``.
    func write(
        _ key: SharedKey,
        _ bytes: Data,
        ifVersion version: UInt64?,
        for timeToLive: Duration
    ) async throws(SharedStoreError) -> UInt64?

    /// Removes a value: with the version `nil` any value, else only that version.
    ///
    /// - Returns: Whether a value existed and was removed.
    func remove(_ key: SharedKey, ifVersion version: UInt64?) async throws(SharedStoreError) -> Bool

    /// Takes a lease: no other owner gets one for the key until it is released or has expired.
    ///
    /// A lease is a hint, not a proof: its holder may be suspended for longer than the lease. For an action that must
    /// not happen twice, send the lease's fencing token along: the receiver rejects smaller ones.
    ///
    /// - Parameters:
    ///   - key: Its key; it is independent of values with the same key.
    ///   - timeToLive: How long it lasts, from now, at least a millisecond.
    /// - Returns: The lease; `nil` while another owner has it.
    /// - Throws: ``SharedStoreError``.
    func lease(_ key: SharedKey, for timeToLive: Duration) async throws(SharedStoreError) -> SharedLease?

    /// Releases a lease; a lease that has expired or belongs to another owner is left unchanged.
    func release(_ lease: SharedLease) async throws(SharedStoreError)

    /// Takes tokens from a bucket, all or none, by the store's clock.
    ///
    /// - Parameters:
    ///   - tokens: The number of tokens, 1 to the bucket's burst.
    ///   - bucket: The bucket; if processes do not agree on its rate, each is held to its own.
    /// - Returns: A grant, possibly for use after a wait, or a refusal with the time to ask again.
    /// - Throws: ``SharedStoreError``.
    func takeTokens(_ tokens: Int, from bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant

    /// Reports values that were written or removed by any process, including the caller.
    ///
    /// A store may also report expired values. The first element is ``SharedChange/all``, once changes are reported; another
    /// one follows whenever changes may have been missed. Values cached before it must not be trusted.
    ///
    /// - Returns: The changes, until the reading task is cancelled; each stream is for one reader.
    func changes(of kind: String) -> AsyncStream<SharedChange>
}
