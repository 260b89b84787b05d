public import CoreNetKit

public import CoreNetKitEssentials

/// Something that may open a page of the app: one vocabulary for everything the system and the app itself come with.
public enum DeepLinkSource: Sendable, Hashable {
    /// A URL and its origin.
    case url(URL, origin: DeepLinkOrigin = .link)
    /// A shortcut of the home screen, and what it carries.
    case shortcut(type: String, info: Json = [:])
    /// A push notification.
    case notification(NotificationPayload)
    /// A user activity; a universal link is one of type ``webActivity``.
    case activity(type: String, webpageURL: URL?)
    /// A link in unchecked text, such as a field of a server's response.
    case text(String)

    /// The type of the activities that universal links come as (`NSUserActivityTypeBrowsingWeb`).
    public static let webActivity = "NSUserActivityTypeBrowsingWeb"

    /// Where the source comes from.
    public var origin: DeepLinkOrigin {
        switch self {
        case .url(_, let origin): origin
        case .shortcut: .shortcut
        case .notification: .notification
        case .activity: .universalLink
        case .text: .text
        }
    }

    /// The common identity of repeated deliveries of one source; `nil` if unknown.
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
        /// Whether nothing else will ever have it, however late.
        let isUnique: Bool

        init(_ text: String, isUnique: Bool = false) {
            self.text = text
            self.isUnique = isUnique
        }
    }
}

/// Where a deep link comes from; says how far to trust it.
public enum DeepLinkOrigin: String, Sendable, Hashable, CaseIterable {
    /// A URL from outside, as of the app's own scheme: any app or web page can make one up.
    case link
    /// A web URL of the app's domain: the system has checked the domain, not who wrote the link; any mail may contain
    /// one.
    case universalLink
    /// A shortcut of the home screen.
    case shortcut
    /// A push notification.
    case notification
    /// Text from elsewhere.
    case text
    /// The app itself.
    case app
}

extension Set<DeepLinkOrigin> {
    /// Every origin.
    public static var anywhere: Self { Set(DeepLinkOrigin.allCases) }

    /// Origins that others cannot forge: for pages that show or do what a web page must not ask for.
    public static var trusted: Self { [.shortcut, .notification, .app] }

    /// Origins where anyone may have written the link, including universal links.
    public static var untrusted: Self { anywhere.subtracting(trusted) }
}
