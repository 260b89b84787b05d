public import CoreNetKit

/// The alarm data of a push notification.
public struct AlarmPush: Sendable, Hashable {
    /// The alarm; `nil` if the notification has none with a sequence.
    public let alarm: Alarm?
    /// The category of the notification, which determines its actions.
    public let category: String?
    /// The number of unread alarms, if the server sent it.
    public let unreadCount: Int?

    /// Reads a notification: the alarm is in `data`, as an object or as JSON text, or in the payload itself.
    ///
    /// - Parameter payload: The server's payload: `aps` and the app's own members.
    public init(payload: Json) {
        let data = payload["data"]?.unwrapped
        let content = data?["seq"] == nil ? payload : data ?? payload
        alarm = try? Alarm.from(dto: AlarmEntry.from(raw: content))
        category = payload["aps"]?["category"]?.string
        let count = content["unread_count"] ?? data?["unread_count"] ?? payload["aps"]?["badge"]
        unreadCount = count?.tolerantInt.map { max(0, $0) }
    }
}

/// The number on the app's icon or a bell icon.
public struct AlarmBadge: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let count: Int

    /// Creates a badge.
    ///
    /// - Parameter count: The number; a negative one is 0.
    public init(_ count: Int) { self.count = max(0, count) }

    /// The text to show: empty for 0, `99+` for more than two digits.
    public var description: String { count == 0 ? "" : count > 99 ? "99+" : String(count) }
}
