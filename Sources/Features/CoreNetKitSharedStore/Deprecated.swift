// Names of before 1.0, each with a fix-it.

extension SharedStoreError {
    /// The former name of ``SharedStoreError/isUnavailable``.
    @available(*, deprecated, renamed: "isUnavailable")
    public var isAway: Bool { isUnavailable }
}

extension SharedStoreError.Code {
    /// The former name of ``SharedStoreError/Code/unavailable``.
    @available(*, deprecated, renamed: "unavailable")
    public static var away: SharedStoreError.Code { .unavailable }
}

extension GuardedStore {
    /// Wraps a store, with the former label of its timeout.
    @available(*, deprecated, renamed: "init(_:timeout:clock:)")
    @_disfavoredOverload
    public convenience init(
        _ store: any SharedStore,
        patience: Duration?,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(store, timeout: patience, clock: clock)
    }

    /// The former name of ``GuardedStore/isUnavailable``.
    @available(*, deprecated, renamed: "isUnavailable")
    public var isAway: Bool { isUnavailable }
}
