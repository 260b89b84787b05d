public import CoreNetKit

/// A push notification as a value.
public struct NotificationPayload: Sendable, Hashable {
    /// What the server sent: `aps` and the app's own members.
    public let content: Json
    /// What two deliveries of one notification have in common.
    public let id: String?
    /// Whether the user tapped it; one that was only received opens nothing.
    public let isTapped: Bool

    /// Takes over a `userInfo`; what is not JSON in it is left out.
    ///
    /// - Parameters:
    ///   - userInfo: The dictionary of the notification.
    ///   - id: The identifier of the notification request; an id of OneSignal in the payload comes first.
    ///   - isTapped: Whether the user tapped the notification.
    public init(userInfo: [AnyHashable: Any], id: String? = nil, isTapped: Bool = true) {
        self.init(content: Json(keepingJson: userInfo) ?? [:], id: id, isTapped: isTapped)
    }

    /// Creates a payload from JSON.
    ///
    /// - Parameters:
    ///   - content: What the server sent.
    ///   - id: The identifier of the notification request; an id of OneSignal in the payload comes first.
    ///   - isTapped: Whether the user tapped the notification.
    public init(content: Json, id: String? = nil, isTapped: Bool = true) {
        self.content = content
        self.id = content.value(at: "custom.i")?.string ?? content.value(at: "os_data.i")?.string ?? id
        self.isTapped = isTapped
    }
}

/// How a link is found in a notification; of the rules of a parser the first whose place holds something counts.
public enum NotificationRule: Sendable, Hashable {
    /// A URL stands at this place, such as `custom.u`.
    case url(at: String)
    /// A text or whole number stands at this place, such as `data.messageId`, and fills the pattern.
    case id(at: String, opens: DeepLinkPattern)
}

extension Json {
    /// Converts what can be converted, and leaves out the rest: a payload with one strange member still opens.
    init?(keepingJson value: Any, depth: Int = 0) {
        guard depth < 64 else { return nil }
        if let members = value as? [AnyHashable: Any] {
            var json: [String: Json] = [:]
            for (key, member) in members {
                guard let key = key.base as? String else { continue }
                json[key] = Json(keepingJson: member, depth: depth + 1)
            }
            self.init(json)
        } else if let elements = value as? [Any] {
            self.init(elements.compactMap { Json(keepingJson: $0, depth: depth + 1) })
        } else if let json = try? Json(value) {
            self = json
        } else {
            return nil
        }
    }

    /// The value at a dotted path; `nil` when there is none or it is `null`.
    func value(at path: String) -> Json? {
        var value = self
        for key in path.split(separator: ".") {
            guard let next = value[String(key)], !next.isNull else { return nil }
            value = next
        }
        return value
    }

    /// A text, or a whole number as one: servers write ids in both ways.
    var id: String? {
        string ?? int64.map { String($0) } ?? uint64.map { String($0) }
    }
}
