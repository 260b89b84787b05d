public import CoreNetKit

/// What a push notification says about alarms.
public struct AlarmPush: Sendable, Hashable {
    /// The alarm; `nil` when the notification has none with a sequence.
    public let alarm: Alarm?
    /// The category of the notification, which says what actions it has.
    public let category: String?
    /// The number of unread alarms, if the server sent it.
    public let unreadCount: Int?

    /// Reads a notification: the alarm stands in `data`, as an object or as JSON text, or in the payload itself.
    ///
    /// - Parameter payload: What the server sent: `aps` and the app's own members.
    public init(payload: Json) {
        let data = payload["data"]?.unwrapped
        let content = data?["seq"] == nil ? payload : data ?? payload
        alarm = try? Alarm.from(dto: AlarmEntry.from(raw: content))
        category = payload["aps"]?["category"]?.string
        let count = content["unread_count"] ?? data?["unread_count"] ?? payload["aps"]?["badge"]
        unreadCount = count?.tolerantInt.map { max(0, $0) }
    }
}

/// The number on the app's icon, or beside the bell.
public struct AlarmBadge: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let count: Int

    /// Creates a badge.
    ///
    /// - Parameter count: The number; a negative one is 0.
    public init(_ count: Int) { self.count = max(0, count) }

    /// What to show: nothing for 0, `99+` for more than two digits.
    public var description: String { count == 0 ? "" : count > 99 ? "99+" : String(count) }
}
