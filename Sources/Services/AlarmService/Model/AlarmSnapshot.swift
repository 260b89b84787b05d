/// What a list of alarms shows at one moment.
public struct AlarmSnapshot: Sendable, Hashable {
    /// The alarms, newest first, with pending changes.
    public var alarms: [Alarm] = []
    /// How many alarms the user has not read, on all pages; never negative.
    public var unreadCount = 0
    /// Whether older alarms can be loaded.
    public var hasMore = false
    /// Whether the newest page is being loaded.
    public var isRefreshing = false
    /// Whether an older page is being loaded.
    public var isLoadingMore = false
    /// Whether a page was loaded.
    public var isLoaded = false
    /// Whether the alarms are those of the cache, which the server has not confirmed yet.
    public var isStored = false
    /// How many entries of the loaded pages were left out because they have no sequence.
    public var skipped = 0
    /// Which of the alarms are ``visible``.
    public var filter = AlarmFilter.all

    /// Creates what a list shows before anything is loaded.
    public init() {}

    /// The alarms that match the filter.
    public var visible: [Alarm] { filter.apply(to: alarms) }

    /// The number on the icon; `nil` before a page is loaded, when it should stay as it is.
    public var badge: AlarmBadge? { isLoaded ? AlarmBadge(unreadCount) : nil }

    /// Whether there is nothing to show: time for the empty view, never before the first page is there.
    public var isEmpty: Bool { isLoaded && alarms.isEmpty && !hasMore }

    /// Whether there is anything left to mark as read.
    public var isReadAllEnabled: Bool { unreadCount > 0 || alarms.contains { !$0.isRead } }
}
