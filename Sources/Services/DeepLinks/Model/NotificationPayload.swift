public import CoreNetKit

/// A push notification as a value.
public struct NotificationPayload: Sendable, Hashable {
    /// What the server sent: `aps` and the app's own members.
    public let content: Json
    /// What two deliveries of one notification have in common, and no other notification has.
    public let id: String?
    /// Whether the user tapped it; one that was only received opens nothing.
    public let isTapped: Bool
    /// The action that the user chose; `nil` for a tap on the notification itself.
    public let action: String?
    /// What the user wrote, with an action that asks for text.
    public let reply: String?

    /// Takes over a `userInfo`; what is not JSON in it is left out.
    ///
    /// - Parameters:
    ///   - userInfo: The dictionary of the notification.
    ///   - id: Identifies this delivery; an id of OneSignal in the payload takes precedence.
    ///   - isTapped: Whether the user tapped the notification.
    ///   - action: The action that the user chose; `nil` for a tap on the notification itself.
    ///   - reply: What the user wrote.
    public init(
        userInfo: [AnyHashable: Any],
        id: String? = nil,
        isTapped: Bool = true,
        action: String? = nil,
        reply: String? = nil
    ) {
        self.init(
            content: Json(keepingJson: userInfo) ?? [:],
            id: id,
            isTapped: isTapped,
            action: action,
            reply: reply
        )
    }

    /// Creates a payload from JSON.
    ///
    /// - Parameters:
    ///   - content: What the server sent.
    ///   - id: Identifies this delivery; an id of OneSignal in the payload takes precedence.
    ///   - isTapped: Whether the user tapped the notification.
    ///   - action: The action that the user chose; `nil` for a tap on the notification itself.
    ///   - reply: What the user wrote.
    public init(
        content: Json,
        id: String? = nil,
        isTapped: Bool = true,
        action: String? = nil,
        reply: String? = nil
    ) {
        self.content = content
        self.id = content.value(at: "custom.i")?.string ?? content.value(at: "os_data.i")?.string ?? id
        self.isTapped = isTapped
        self.action = action
        self.reply = reply
    }

    /// The category, which says what actions the notification has.
    public var category: String? { content.value(at: "aps.category")?.string }

    /// The number that the app's icon gets; `nil` when it stays as it is, 0 takes it away.
    public var badge: Int? { content.value(at: "aps.badge")?.int.map { max(0, $0) } }

    /// The title, where there is one.
    public var title: String? { content.value(at: "aps.alert.title")?.string }

    /// The text; servers send it alone or as a member of the alert.
    public var body: String? {
        content.value(at: "aps.alert.body")?.string ?? content.value(at: "aps.alert")?.string
    }
}

/// How a link is found in a notification; of the rules of a parser the first whose place holds something counts, a URL of
/// another scheme or host excepted.
///
/// A place is a dotted path, also through an object that was sent as JSON text.
public enum NotificationRule: Sendable, Hashable {
    /// A URL at this place, such as `custom.u`.
    case url(at: String)
    /// A text or whole number at this place, such as `data.messageId`, which fills the pattern.
    case id(at: String, opens: DeepLinkPattern)
}

/// What an action of a notification opens; an action without a rule opens nothing.
public enum NotificationActionRule: Sendable, Hashable {
    /// What a tap on the notification opens.
    case sameAsTap
    /// Another page; its parameters are members of `data` or of the payload itself.
    case page(DeepLinkPattern)
}
