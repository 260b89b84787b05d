/// Selects the alarms of a list to show.
public struct AlarmFilter: Sendable, Hashable {
    /// The types; `nil` for all.
    public var types: Set<AlarmType>?
    /// Whether only unread alarms are shown.
    public var isUnreadOnly: Bool
    /// Words that the text, the sender or the station must contain, in any case and order; a blank text matches all.
    public var text: String

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - types: The types; `nil` for all.
    ///   - isUnreadOnly: Whether only unread alarms are shown.
    ///   - text: Words to look for.
    public init(types: Set<AlarmType>? = nil, isUnreadOnly: Bool = false, text: String = "") {
        self.types = types
        self.isUnreadOnly = isUnreadOnly
        self.text = text
    }

    /// Matches every alarm.
    public static let all = AlarmFilter()

    /// Returns the matching alarms, in their order.
    ///
    /// - Parameter alarms: The alarms of a list.
    /// - Returns: The alarms to show.
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
