public import CoreNetKitChain
public import CoreNetKitEssentials

// Names of before 1.0, each with a fix-it.

extension ResponseCache {
    /// Creates a cache on a custom storage, with the former labels of its timeouts.
    @available(*, deprecated, renamed: "init(storage:confidential:timeout:missTimeout:earlyRefresh:clock:date:)")
    @_disfavoredOverload
    public convenience init(
        storage: any CacheStorage,
        confidential: CacheSize = .mebibytes(2),
        patience: Duration,
        missPatience: Duration = .zero,
        earlyRefresh: Double = 0,
        clock: CallClock = .continuous,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            storage: storage,
            confidential: confidential,
            timeout: patience,
            missTimeout: missPatience,
            earlyRefresh: earlyRefresh,
            clock: clock,
            date: date
        )
    }

    /// Creates a cache on a custom storage, with the former label of the timeout of misses.
    @available(*, deprecated, renamed: "init(storage:confidential:timeout:missTimeout:earlyRefresh:clock:date:)")
    @_disfavoredOverload
    public convenience init(
        storage: any CacheStorage,
        confidential: CacheSize = .mebibytes(2),
        missPatience: Duration,
        earlyRefresh: Double = 0,
        clock: CallClock = .continuous,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            storage: storage,
            confidential: confidential,
            missTimeout: missPatience,
            earlyRefresh: earlyRefresh,
            clock: clock,
            date: date
        )
    }

    /// The former name of ``ResponseCache/removeData(of:)``.
    @available(*, deprecated, renamed: "removeData(of:)")
    public func letGo(of session: Partition.Session) async { await removeData(of: session) }
}

extension PolicyHolder {
    /// The former form of ``cache(_:_:)``.
    @available(*, deprecated, message: "write 'cache(_:_:)', or 'without(.cache)' instead of nil")
    public func cache(with cache: ResponseCache?, _ mode: CacheMode = .standard) -> Self {
        cache.map { self.cache($0, mode) } ?? without(CacheNode.position)
    }
}
