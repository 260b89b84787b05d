public import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// A number of bytes that a cache may keep.
public struct CacheSize: Sendable, Hashable {
    /// The bytes.
    public let bytes: Int64

    /// A number of bytes; negative counts as 0.
    public static func bytes(_ count: Int) -> CacheSize { CacheSize(bytes: max(0, Int64(count))) }
    /// A number of kibibytes, 1024 bytes each.
    public static func kibibytes(_ count: Int) -> CacheSize {
        .bytes(count.multipliedReportingOverflow(by: 1 << 10).partialValue)
    }
    /// A number of mebibytes, 1024 × 1024 bytes each.
    public static func mebibytes(_ count: Int) -> CacheSize {
        .bytes(count.multipliedReportingOverflow(by: 1 << 20).partialValue)
    }
}

/// The folder of a cache's files.
public struct CacheDisk: Sendable, Hashable {
    let folder: URL
    let limit: CacheSize

    /// A folder, by its file URL, that only caches use, of one or several processes, and the maximum number of bytes in it.
    ///
    /// It is created if missing; one that is a link, belongs to another user or is writable by others is not used.
    public static func folder(_ folder: URL, limit: CacheSize = .mebibytes(64)) -> CacheDisk {
        CacheDisk(folder: folder, limit: limit)
    }
}

/// Stores and reuses responses, by the rules of RFC 9111 for a private cache.
///
/// Create it once, and use it with any number of clients: `Client().cache(cache)`. Responses of one user are never given
/// to another: see ``/CoreNetKit/Partition``. Failures of the storage are counted and never fail a call.
public final class ResponseCache: Sendable {
    package let engine: CacheEngine
    private let state = Locked(State())

    private struct State: Sendable {
        var identities: [CacheMode: CacheIdentity] = [:]
        var names: [ObjectIdentifier: ObjectName] = [:]
        var lastName: UInt64 = 0
        /// When there are this many names, those of released objects are removed.
        var nameLimit = 64
    }

    /// A number for an object while it exists: a later object at the same address gets another number.
    private struct ObjectName: Sendable {
        // Only checked for `nil`.
        nonisolated(unsafe) weak var object: AnyObject?
        /// A value has no end of its own: it is retained, with its objects.
        let value: (any Sendable)?
        let number: UInt64

        var isAlive: Bool { value != nil || object != nil }
    }

    /// Creates a cache in memory, on disk, or with memory before a disk.
    ///
    /// The memory is for recently used and for confidential responses. The clock is for ages, the date for those across
    /// runs of the program, and for dates that servers send.
    public convenience init(
        memory: CacheSize = .mebibytes(8),
        disk: CacheDisk? = nil,
        clock: CallClock = .continuous,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        guard let disk else {
            self.init(storage: MemoryStorage(limit: memory), clock: clock, date: date)
            return
        }
        let files = DiskStorage(disk.folder.path, limit: disk.limit.bytes) { date().milliseconds / 1000 }
        let (front, secret) = (MemoryStorage(limit: memory.bytes / 4 * 3), max(memory.bytes / 4, 256 << 10))
        let tiers = TieredStorage(front: front, behind: files, copiesFor: .seconds(10), clock: clock)
        let engine = CacheEngine(
            storage: tiers,
            secret: MemoryStorage(limit: secret, generations: files.shared),
            // For a disk that may not respond at all.
            timeout: .seconds(5),
            clock: clock,
            now: ResponseCache.time(clock, date)
        )
        self.init(engine)
    }

    /// Creates a cache on a custom storage.
    ///
    /// - Parameters:
    ///   - storage: The storage.
    ///   - confidential: The maximum number of bytes in memory for what must not leave the process; a storage that stays
    ///     in the process gets that itself.
    ///   - timeout: The timeout of a call of the storage; a call that times out is a miss, and the storage is left alone
    ///     for as long again.
    ///   - missTimeout: How long a miss waits for a concurrent call with the same request before it sends its own. Zero,
    ///     the default, disables the wait. Calls of other processes count if the storage supports leases
    ///     (``CacheStorage/lease(_:for:)``); waiting for a response that may not be stored is in vain.
    ///   - earlyRefresh: How early hits validate a response in the background while it is still fresh: more likely near
    ///     its end, and for slow servers (XFetch). 1 is usual, more is earlier; zero, the default, is never. If the
    ///     storage supports leases, one process validates for all.
    ///   - clock: The clock for ages.
    ///   - date: The time of day, for dates that servers send, and for ages across runs of the program.
    public convenience init(
        storage: any CacheStorage,
        confidential: CacheSize = .mebibytes(2),
        timeout: Duration = .seconds(1),
        missTimeout: Duration = .zero,
        earlyRefresh: Double = 0,
        clock: CallClock = .continuous,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        let engine = CacheEngine(
            storage: storage,
            secret: MemoryStorage(limit: confidential),
            timeout: timeout,
            missTimeout: missTimeout,
            early: EarlyRefresh(earlyRefresh),
            clock: clock,
            now: ResponseCache.time(clock, date)
        )
        self.init(engine)
    }

    private init(_ engine: CacheEngine) { self.engine = engine }

    private static func time(_ clock: CallClock, _ date: @escaping @Sendable () -> Date) -> @Sendable () -> CacheTime {
        let moments = clock.moments(at: date)
        return { CacheTime(moments()) }
    }

    /// The statistics of the cache.
    public var counts: CacheCounts { engine.counts.value }

    /// The number of calls that wait for the request of another one in this process.
    package var callsWaiting: Int { engine.vault.sharedRequests.callsWaiting }

    /// The statistics of its storage.
    public var storageCounts: CacheStorageCounts { get async { await engine.vault.counts } }

    /// An object that identifies the cache with a mode, so that calls of different modes do not share exchanges.
    package func identity(of mode: CacheMode) -> CacheIdentity {
        state.withLock { state in
            if let known = state.identities[mode] { return known }
            let made = CacheIdentity()
            state.identities[mode] = made
            return made
        }
    }

    /// A number for an object that makes responses different, unique in this run; the holder is it, or a value that has it.
    package func name(of identity: ObjectIdentifier, in holder: any Sendable) -> UInt64 {
        state.withLock { state in
            if let known = state.names[identity], known.isAlive { return known.number }
            if state.names.count >= state.nameLimit {
                state.names = state.names.filter(\.value.isAlive)
                state.nameLimit = max(64, 2 * state.names.count)
            }
            state.lastName += 1
            let isObject = type(of: holder) is AnyClass
            state.names[identity] = ObjectName(
                object: isObject ? holder as AnyObject : nil,
                value: isObject ? nil : holder,
                number: state.lastName
            )
            return state.lastName
        }
    }

    /// Marks the stored responses of a URL with its query: they must be validated before they are used again.
    ///
    /// For all users and processes.
    public func invalidate(_ url: URL) async { await engine.invalidate([url], in: CacheScope()) }

    /// Marks the members of a group (`Cache-Groups`, RFC 9875) of the URL's origin, for validation by all users and processes.
    public func invalidate(group: String, of url: URL) async { await engine.invalidate(group: group, of: url) }

    /// Removes all stored responses of a user; at sign-out, `PolicyHolder.signOut(within:keeping:and:)` removes all data.
    ///
    /// Responses in flight are no longer stored.
    public func removeAll(partition: Partition) async { await engine.vault.removeAll(partition: partition.name) }

    /// Removes a user's stored responses of a URL with its query.
    public func remove(_ url: URL, partition: Partition = .anonymous) async {
        let scope = CacheScope(partition: partition.name, isPersistent: partition.isStable)
        await engine.vault.remove(engine.key(of: url, in: scope))
    }

    /// The URLs with stored responses of a user, or of all, sorted; with a disk, each record is read for that.
    ///
    /// None for a storage that cannot list them (``CacheStorage/keys(partition:)``).
    public func urls(of partition: Partition? = nil) async -> [URL] {
        let keys = await engine.vault.keys(partition: partition?.name)
        return Set(keys.map { String($0.resource) }).sorted().compactMap { URL(string: $0) }
    }

    /// Removes everything.
    public func removeAll() async { await engine.vault.removeAll(partition: nil) }

    /// Waits until all responses so far are written to files: call it before a program ends.
    public func flush() async { await engine.vault.open.flush() }

    /// Explains in one sentence how a request, with the fields that its chain would add, would be handled now.
    ///
    /// For example `used: the stored response is fresh (RFC 9111, 4.2); 12 s old, 48 s left`.
    public func explain(
        _ request: TransportRequest,
        mode: CacheMode = .standard,
        partition: Partition = .anonymous
    ) async -> String {
        let scope = CacheScope(partition: partition.name, isPersistent: partition.isStable, mode: mode)
        return await engine.find(request, scope, acceptsStale: true).sentence
    }
}

extension ResponseCache: SessionDataOwner {
    /// Stored responses.
    public var kind: SignOut.Kind { .responses }

    /// Removes the responses of the session's user.
    public func removeData(of session: Partition.Session) async { await removeAll(partition: session.partition) }
}

/// An object whose identity represents a cache and a mode.
package final class CacheIdentity: Sendable {}

extension CacheFinding {
    package var sentence: String {
        let verb =
            switch decision.action {
            case .use: "used"
            case .useStale(_, let refresh): refresh ? "used stale, and validated meanwhile" : "used stale"
            case .validate: "confirmed with the server"
            case .complete: "completed by the server"
            case .forward: "fetched"
            case .refuse: "refused with 504"
            }
        var text = "\(verb): \(CacheReason(decision.reason))"
        if let age = decision.age, let lifetime = decision.lifetime {
            let left = (lifetime - min(age, 1 << 60)) / 1000
            text += "; \(age / 1000) s old, " + (left >= 0 ? "\(left) s left" : "stale for \(-left) s")
        }
        if decision.fallback != nil { text += "; used if the server fails" }
        return text
    }
}
