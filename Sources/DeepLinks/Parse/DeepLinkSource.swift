public import CoreNetKit

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Something that may open a page of the app: one vocabulary for everything the system and the app itself come with.
public enum DeepLinkSource: Sendable, Hashable {
    /// A URL, and who came with it.
    case url(URL, origin: DeepLinkOrigin = .link)
    /// A shortcut of the home screen, and what it carries.
    case shortcut(type: String, info: Json = [:])
    /// A push notification.
    case notification(NotificationPayload)
    /// A user activity; a universal link is one of type ``webActivity``.
    case activity(type: String, webpageURL: URL?)
    /// A link in text that nobody has looked at, such as a field of a server's reply.
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

    /// What two deliveries of one source have in common; `nil` when that cannot be told.
    var identity: String? {
        switch self {
        case .url(let url, let origin): "\(origin) \(url.absoluteString)"
        case .shortcut(let type, _): "shortcut \(type)"
        case .notification(let payload): payload.id.map { "notification \($0)" }
        case .activity(_, let url): url.map { "universalLink \($0.absoluteString)" }
        case .text(let text): "text \(text)"
        }
    }
}

/// Where a deep link comes from; says how far to trust it.
public enum DeepLinkOrigin: String, Sendable, Hashable, CaseIterable {
    /// A URL from outside, as of the app's own scheme: any app or web page can make one up.
    case link
    /// A URL whose host the system has checked.
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
    public static var trusted: Self { [.universalLink, .shortcut, .notification, .app] }
}
