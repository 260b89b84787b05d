/// The content of a list of alarms at one moment.
public struct AlarmSnapshot: Sendable, Hashable {
    /// The alarms, newest first, with pending changes.
    public var alarms: [Alarm] = []
    /// How many unread alarms the user has, on all pages; never negative.
    public var unreadCount = 0
    /// Whether older alarms can be loaded.
    public var hasMore = false
    /// Whether the newest page is being loaded.
    public var isRefreshing = false
    /// Whether an older page is being loaded.
    public var isLoadingMore = false
    /// Whether a page was loaded.
    public var isLoaded = false
    /// Whether the alarms come from the cache and are not confirmed by the server yet.
    public var isFromCache = false
    /// How many entries of the loaded pages were skipped because they have no sequence.
    public var skippedCount = 0
    /// The filter that selects the ``visible`` alarms.
    public var filter = AlarmFilter.all

    /// Creates the content of a list that has loaded nothing.
    public init() {}

    /// The alarms that match the filter.
    public var visible: [Alarm] { filter.apply(to: alarms) }

    /// The number on the icon; `nil` before a page is loaded, when the icon should stay as it is.
    public var badge: AlarmBadge? { isLoaded ? AlarmBadge(unreadCount) : nil }

    /// Whether to show the empty view; never before the first page is loaded.
    public var isEmpty: Bool { isLoaded && alarms.isEmpty && !hasMore }

    /// Whether there are alarms to mark as read.
    public var canMarkAllAsRead: Bool { unreadCount > 0 || alarms.contains { !$0.isRead } }
}

/// Selects the alarms of a list to show.
public struct AlarmFilter: Sendable, Hashable {
    /// The types; `nil` for all.
    public var types: Set<AlarmType>?
    /// Whether only unread alarms are shown.
    public var isUnreadOnly: Bool
    /// Words that the text, the sender or the station must contain, in any case and order; a blank text matches all.
    public var text: String

    /// Creates a filter.
    public init(types: Set<AlarmType>? = nil, isUnreadOnly: Bool = false, text: String = "") {
        (self.types, self.isUnreadOnly, self.text) = (types, isUnreadOnly, text)
    }

    /// Matches every alarm.
    public static let all = AlarmFilter()

    /// Returns the matching alarms, in their order.
    public func apply(to alarms: [Alarm]) -> [Alarm] {
        let words = text.lowercased().split(whereSeparator: \.isWhitespace)
        guard types != nil || isUnreadOnly || !words.isEmpty else { return alarms }
        return alarms.filter { alarm in
            guard types?.contains(alarm.type) ?? true, !(isUnreadOnly && alarm.isRead) else { return false }
            guard !words.isEmpty else { return true }
            let text = [alarm.text.plain, alarm.fromNickName, alarm.stationName].joined(separator: "\n").lowercased()
            return words.allSatisfy { text.contains($0) }
        }
    }
}
