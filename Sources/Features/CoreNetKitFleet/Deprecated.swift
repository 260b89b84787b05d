public import CoreNetKitEssentials
public import CoreNetKitRecovery

// Names of before 1.0, each with a fix-it.

extension FleetEvent.Kind {
    /// The former name of ``FleetEvent/Kind/fallback``.
    @available(*, deprecated, renamed: "fallback")
    public static var fellBack: FleetEvent.Kind { .fallback }

    /// The former name of ``FleetEvent/Kind/abandoned``.
    @available(*, deprecated, renamed: "abandoned")
    public static var givenUp: FleetEvent.Kind { .abandoned }

    /// The former name of ``FleetEvent/Kind/notStored``.
    @available(*, deprecated, renamed: "notStored")
    public static var notKept: FleetEvent.Kind { .notStored }
}

extension RateLimiter {
    /// The former name of ``StoreFailurePolicy``.
    @available(*, deprecated, renamed: "StoreFailurePolicy")
    public typealias WhenAway = StoreFailurePolicy

    /// Creates a limiter whose rate several processes share, with the former label of its policy.
    @available(*, deprecated, renamed: "init(_:per:burst:named:in:ifStoreUnavailable:dryRun:events:)")
    @_disfavoredOverload
    public convenience init(
        _ count: Int,
        per period: Duration = .seconds(1),
        burst: Int = 1,
        named name: String,
        in store: any SharedStore,
        whenAway: StoreFailurePolicy,
        dryRun: Bool = false,
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        self.init(
            count,
            per: period,
            burst: burst,
            named: name,
            in: store,
            ifStoreUnavailable: whenAway,
            dryRun: dryRun,
            events: events
        )
    }
}

extension IdempotencyRecords {
    /// Creates records in a store, with the former label of their policy.
    @available(*, deprecated, renamed: "init(in:named:sealing:keepFor:lease:ifStoreUnavailable:events:)")
    @_disfavoredOverload
    public init(
        in store: any SharedStore,
        named name: String,
        sealing: some Sealing,
        keepFor: Duration = .seconds(86_400),
        lease: Duration = .seconds(60),
        whenAway: StoreFailurePolicy,
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        self.init(
            in: store,
            named: name,
            sealing: sealing,
            keepFor: keepFor,
            lease: lease,
            ifStoreUnavailable: whenAway,
            events: events
        )
    }
}

extension SharedCacheStorage {
    /// Creates a storage over a shared store, with the former label of its policy.
    @available(*, deprecated, renamed: "init(in:named:sealing:ifStoreUnavailable:date:events:)")
    @_disfavoredOverload
    public convenience init(
        in store: any SharedStore,
        named name: String,
        sealing: some Sealing,
        whenAway: StoreFailurePolicy,
        date: @escaping @Sendable () -> Date = { Date() },
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        self.init(
            in: store,
            named: name,
            sealing: sealing,
            ifStoreUnavailable: whenAway,
            date: date,
            events: events
        )
    }
}

extension ValkeyStore {
    /// Creates a store, with the former label of its timeout.
    @available(*, deprecated, renamed: "init(_:credentials:name:timeout:clock:)")
    @_disfavoredOverload
    public convenience init(
        _ server: Server,
        credentials: Credentials? = nil,
        name: String = "CoreNetKit",
        patience: Duration,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(server, credentials: credentials, name: name, timeout: patience, clock: clock)
    }

    /// The former name of ``ValkeyStore/isUnavailable``.
    @available(*, deprecated, renamed: "isUnavailable")
    public var isAway: Bool { isUnavailable }
}
