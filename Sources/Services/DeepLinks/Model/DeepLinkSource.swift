public import CoreNetKit
public import CoreNetKitEssentials
import CoreNetKitSystem

/// A possible source of a link: one type for everything that the system and the app deliver.
public enum DeepLinkSource: Sendable, Hashable {
    /// A URL and the kind of its source.
    case url(URL, kind: DeepLinkSourceKind = .link)
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

    /// The kind of the source.
    public var kind: DeepLinkSourceKind {
        switch self {
        case .url(_, let kind): kind
        case .shortcut: .shortcut
        case .notification: .notification
        case .activity: .universalLink
        case .text: .text
        }
    }

    /// An identity shared by repeated deliveries of one source; `nil` if unknown.
    var identity: Identity? {
        switch self {
        case .url(let url, let kind): Identity(text: "\(kind.rawValue) \(url.absoluteString)")
        case .shortcut(let type, let info):
            Identity(text: "shortcut \(type) \((try? info.text(sortedKeys: true)) ?? "")")
        case .notification(let payload):
            payload.id.map { Identity(text: "notification \($0) \(payload.action ?? "")", isUnique: true) }
        case .activity(_, let url): url.map { Identity(text: "universalLink \($0.absoluteString)") }
        case .text(let text): Identity(text: "text \(text)")
        }
    }

    struct Identity: Hashable {
        let text: String
        /// Whether the identity never repeats, so that every later match is a duplicate.
        var isUnique = false
    }
}

/// The kind of a deep link's source, which determines how far to trust it.
public enum DeepLinkSourceKind: String, Sendable, Hashable, CaseIterable {
    /// A URL from outside, such as one with the app's own scheme: any app or web page can create one.
    case link
    /// A web URL of the app's domain: the system has verified the domain, not the author of the link; any mail may
    /// contain one.
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

extension Set<DeepLinkSourceKind> {
    /// Every kind.
    public static var all: Self { Set(DeepLinkSourceKind.allCases) }

    /// Kinds that others cannot forge: for pages that show or do anything that a web page must not trigger.
    public static var trusted: Self { [.shortcut, .notification, .app] }

    /// Kinds whose links anyone may have written, including universal links.
    public static var untrusted: Self { all.subtracting(trusted) }

    /// The former name of ``all``.
    @available(*, deprecated, renamed: "all")
    public static var anywhere: Self { all }
}

/// A link and its source.
public struct DeepLinkArrival<Link: Sendable>: Sendable {
    /// The link.
    public let link: Link
    /// The source, as the system or the app delivered it.
    public let source: DeepLinkSource
    /// The pattern of the page.
    public let pattern: DeepLinkPattern
    /// Every item of the URL's query, including those that the page does not name.
    public let query: [String: String]

    /// The kind of the source.
    public var sourceKind: DeepLinkSourceKind { source.kind }

    /// The campaign named in the URL; `nil` if there is none.
    public var campaign: DeepLinkCampaign? { DeepLinkCampaign(query) }

    /// The id of the notification; `nil` for other sources.
    public var notificationID: String? { notification?.id }

    /// The action of the notification that the user chose; `nil` for a tap, and for other sources.
    public var action: String? { notification?.action }

    private var notification: NotificationPayload? {
        if case .notification(let payload) = source { payload } else { nil }
    }
}

extension DeepLinkArrival: Equatable where Link: Equatable {}

/// The campaign of a link, from the parameters that analytics tools agree on (`utm_…`).
public struct DeepLinkCampaign: Sendable, Hashable {
    /// `utm_source`: the sender of the link, such as `newsletter`.
    public let source: String?
    /// `utm_medium`: the medium, such as `email`.
    public let medium: String?
    /// `utm_campaign`: the name of the campaign.
    public let name: String?
    /// `utm_term`: the search words.
    public let term: String?
    /// `utm_content`: distinguishes several links of a campaign.
    public let content: String?

    init?(_ query: [String: String]) {
        let text = { (name: String) -> String? in query["utm_" + name].flatMap { $0.isBlank ? nil : $0 } }
        (source, medium, name, term) = (text("source"), text("medium"), text("campaign"), text("term"))
        content = text("content")
        guard source != nil || medium != nil || name != nil || term != nil || content != nil else { return nil }
    }
}

/// A shortcut of the home screen as a value; the adapter converts it to a `UIApplicationShortcutItem`.
public struct ShortcutItem: Sendable, Hashable {
    /// Identifies the shortcut.
    public let type: String
    /// The title of the shortcut.
    public let localizedTitle: String
    /// The line under the title.
    public let localizedSubtitle: String?
    /// The name of a template image in the app's bundle.
    public let icon: String?

    /// Creates a shortcut.
    public init(type: String, localizedTitle: String, localizedSubtitle: String? = nil, icon: String? = nil) {
        (self.type, self.localizedTitle) = (type, localizedTitle)
        (self.localizedSubtitle, self.icon) = (localizedSubtitle, icon)
    }
}
