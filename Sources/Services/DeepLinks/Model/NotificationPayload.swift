public import CoreNetKit

/// A push notification as a value.
public struct NotificationPayload: Sendable, Hashable {
    /// The server's payload: `aps` and the app's own members.
    public let content: Json
    /// An id shared by all deliveries of this notification, and by no other notification; OneSignal's id in the payload
    /// precedes the given one.
    public let id: String?
    /// Whether the user tapped the notification; one that was only received opens nothing.
    public let isTapped: Bool
    /// The action that the user chose; `nil` for a tap on the notification itself.
    public let action: String?
    /// The user's text, if the action asks for text.
    public let reply: String?

    /// Creates a payload from a `userInfo`; values that are not JSON are omitted.
    public init(
        userInfo: [AnyHashable: Any],
        id: String? = nil,
        isTapped: Bool = true,
        action: String? = nil,
        reply: String? = nil
    ) {
        self.init(content: Json(keepingJson: userInfo) ?? [:], id: id, isTapped: isTapped, action: action, reply: reply)
    }

    /// Creates a payload from JSON.
    public init(content: Json, id: String? = nil, isTapped: Bool = true, action: String? = nil, reply: String? = nil) {
        self.content = content
        self.id = content.value(at: "custom.i")?.string ?? content.value(at: "os_data.i")?.string ?? id
        (self.isTapped, self.action, self.reply) = (isTapped, action, reply)
    }

    /// The category, which determines the actions of the notification.
    public var category: String? { content.value(at: "aps.category")?.string }

    /// The number on the app's icon; `nil` leaves it unchanged, 0 removes it.
    public var badge: Int? { content.value(at: "aps.badge")?.int.map { max(0, $0) } }

    /// The title, if there is one.
    public var title: String? { content.value(at: "aps.alert.title")?.string }

    /// The text; servers send it alone or as a member of the alert.
    public var body: String? {
        content.value(at: "aps.alert.body")?.string ?? content.value(at: "aps.alert")?.string
    }
}

/// A path in a notification at which a link may be.
///
/// A parser uses the first of its rules whose path has a value, and skips URLs with a foreign scheme or host. A path is
/// dotted, and may lead through an object sent as JSON text.
public enum NotificationRule: Sendable, Hashable {
    /// A URL at this path, such as `custom.u`.
    case url(at: String)
    /// A text or whole number at this path, such as `data.messageId`, which fills the pattern.
    case id(at: String, opens: DeepLinkPattern)
}

/// The effect of a notification's action; an action without a rule opens nothing.
public enum NotificationActionRule: Sendable, Hashable {
    /// Opens the same page as a tap on the notification.
    case sameAsTap
    /// Opens another page; its parameters are members of `data` or of the payload itself.
    case page(DeepLinkPattern)
}
