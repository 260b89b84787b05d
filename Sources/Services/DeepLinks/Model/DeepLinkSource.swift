public import CoreNetKit

public import CoreNetKitEssentials

/// A possible source of a link: one type for everything that the system and the app deliver.
public enum DeepLinkSource: Sendable, Hashable {
    /// A URL and its origin.
    case url(URL, origin: DeepLinkOrigin = .link)
    /// A shortcut of the home screen, with its `userInfo`.
    case shortcut(type: String, info: Json = [:])
    /// A push notification.
    case notification(NotificationPayload)
    /// A user activity; a universal link is one of type ``webActivity``.
    case activity(type: String, webpageURL: URL?)
    /// A link in unchecked text, such as a field of a server's response.
    case text(String)

    /// The activity type of universal links (`NSUserActivityTypeBrowsingWeb`).
    public static let webActivity = "NSUserActivityTypeBrowsingWeb"

    /// The origin of the source.
    public var origin: DeepLinkOrigin {
        switch self {
        case .url(_, let origin): origin
        case .shortcut: .shortcut
        case .notification: .notification
        case .activity: .universalLink
        case .text: .text
        }
    }

    /// An identity shared by repeated deliveries of one source; `nil` if unknown.
    var identity: Identity? {
        switch self {
        case .url(let url, let origin): Identity("\(origin.rawValue) \(url.absoluteString)")
        case .shortcut(let type, let info): Identity("shortcut \(type) \((try? info.text(sortedKeys: true)) ?? "")")
        case .notification(let payload):
            payload.id.map { Identity("notification \($0) \(payload.action ?? "")", isUnique: true) }
        case .activity(_, let url): url.map { Identity("universalLink \($0.absoluteString)") }
        case .text(let text): Identity("text \(text)")
        }
    }

    struct Identity: Hashable {
        let text: String
        /// Whether the identity never repeats, so that every later match is a duplicate.
        let isUnique: Bool

        init(_ text: String, isUnique: Bool = false) {
            self.text = text
            self.isUnique = isUnique
        }
    }
}

/// The origin of a deep link, which determines how far to trust it.
public enum DeepLinkOrigin: String, Sendable, Hashable, CaseIterable {
    /// A URL from outside, such as one with the app's own scheme: any app or web page can create one.
    case link
    /// A web URL of the app's domain: the system has verified the domain, not the author of the link; any mail may contain
    /// one.
    case universalLink
    /// A shortcut of the home screen.
    case shortcut
    /// A push notification.
    case notification
    /// Text from another source.
    case text
    /// The app itself.
    case app
}

extension Set<DeepLinkOrigin> {
    /// Every origin.
    public static var anywhere: Self { Set(DeepLinkOrigin.allCases) }

    /// Origins that others cannot forge: for pages that show or do anything that a web page must not trigger.
    public static var trusted: Self { [.shortcut, .notification, .app] }

    /// Origins whose links anyone may have written, including universal links.
    public static var untrusted: Self { anywhere.subtracting(trusted) }
}
