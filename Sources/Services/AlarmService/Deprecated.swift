// Names of 0.2, each with a fix-it.

extension AlarmSnapshot {
    /// The former name of ``isFromCache``.
    @available(*, deprecated, renamed: "isFromCache")
    public var isStored: Bool {
        get { isFromCache }
        set { isFromCache = newValue }
    }

    /// The former name of ``skippedCount``.
    @available(*, deprecated, renamed: "skippedCount")
    public var skipped: Int {
        get { skippedCount }
        set { skippedCount = newValue }
    }

    /// The former name of ``canMarkAllAsRead``.
    @available(*, deprecated, renamed: "canMarkAllAsRead")
    public var isReadAllEnabled: Bool { canMarkAllAsRead }
}
