public import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP

// Names of before 1.0, each with a fix-it.

/// The former name of ``CacheInvalidation``.
@available(*, deprecated, renamed: "CacheInvalidation")
public typealias CacheMark = CacheInvalidation

extension CacheEdit {
    /// The former name of ``invalidate(_:)``.
    @available(*, deprecated, renamed: "invalidate(_:)")
    public static func mark(_ mark: CacheInvalidation) -> CacheEdit { .invalidate(mark) }
}

extension CacheCounterTable {
    /// The former name of ``invalidate(_:)``.
    @available(*, deprecated, renamed: "invalidate(_:)")
    public mutating func mark(_ mark: CacheInvalidation) { invalidate(mark) }

    /// The former name of ``invalidate(partition:)``.
    @available(*, deprecated, renamed: "invalidate(partition:)")
    public mutating func end(_ partition: String?) { invalidate(partition: partition) }
}

extension CacheVariant {
    /// The former name of ``withContent(_:)``.
    @available(*, deprecated, renamed: "withContent(_:)")
    public func holding(_ content: Content) -> CacheVariant { withContent(content) }

    /// The former name of ``groupCounterSum``.
    @available(*, deprecated, renamed: "groupCounterSum")
    public var groups: UInt64 {
        get { groupCounterSum }
        set { groupCounterSum = newValue }
    }

    /// Creates a stored response, with the former label of its sum of counters.
    @available(
        *,
        deprecated,
        renamed: "init(id:status:headers:selecting:requested:received:isDecoded:counters:groupCounterSum:content:)"
    )
    public init(
        id: UInt64 = .random(in: .min ... .max),
        status: Int,
        headers: Headers,
        selecting: [SelectingField],
        requested: CacheTime,
        received: CacheTime,
        isDecoded: Bool,
        counters: CacheCounters = CacheCounters(),
        groups: UInt64,
        content: Content
    ) {
        self.init(
            id: id,
            status: status,
            headers: headers,
            selecting: selecting,
            requested: requested,
            received: received,
            isDecoded: isDecoded,
            counters: counters,
            groupCounterSum: groups,
            content: content
        )
    }
}

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
