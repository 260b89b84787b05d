public import DeepLinks

/// The pages of the tutorial's apartment app in document 001, the user's specification: the links of all its sources.
///
/// Your own app declares an enum like this one and its table, see `Docs/Services/DeepLinks.md`.
public enum DeeplinkType: Sendable, Hashable {
    /// The pages about messages.
    public enum Messages: Sendable, Hashable {
        /// The list of all chats.
        case root
        /// One chat.
        case details(id: String)
    }

    /// A page about messages.
    case messages(Messages)
    /// The recent activity.
    case activity
    /// The form for a new listing, for hosts only.
    case newListing
    /// A request for a booking.
    case request(id: String)

    /// The name of the page, as the tutorial shows it.
    public var title: String {
        switch self {
        case .activity: "Activity"
        case .messages(.root): "Messages Root"
        case .messages(.details(let id)): "Messages Details \(id)"
        case .newListing: "New Listing"
        case .request(let id): "Request Details \(id)"
        }
    }

    /// The table of pages, sources and profiles from the document: URLs open only chats and requests.
    public static let routes: [DeepLinkRoute<DeeplinkType>] = {
        let links: Set<DeepLinkSourceKind> = [.link, .universalLink, .text, .app, .notification]
        let shortcuts: Set<DeepLinkSourceKind> = [.shortcut, .app]
        let message = { @Sendable (link: DeeplinkType) -> String? in
            if case .messages(.details(let id)) = link { id } else { nil }
        }
        let request = { @Sendable (link: DeeplinkType) -> String? in
            if case .request(let id) = link { id } else { nil }
        }
        return [
            DeepLinkRoute("/messages", opens: .messages(.root), from: shortcuts),
            DeepLinkRoute("/messages/:id", from: links, id: { .messages(.details(id: $0)) }, of: message),
            DeepLinkRoute("/activity", opens: .activity, from: shortcuts),
            DeepLinkRoute("/newListing", opens: .newListing, from: shortcuts, for: [ProfileType.host.rawValue]),
            DeepLinkRoute("/request/:id", from: links, id: { .request(id: $0) }, of: request),
        ]
    }()

    /// The parser of the tutorial, for the scheme `deeplinkTutorial` and the hosts of the app's universal links.
    public static func parser(hosts: [String] = []) -> DeepLinkParser<DeeplinkType> {
        DeepLinkParser(
            schemes: ["deeplinkTutorial"],
            hosts: hosts,
            routes: routes,
            shortcuts: shortcuts,
            notifications: notifications
        )
    }

    static let shortcuts: [String: DeepLinkPattern] = [
        ShortcutKey.newListing.rawValue: "/newListing", ShortcutKey.activity.rawValue: "/activity",
        ShortcutKey.messages.rawValue: "/messages",
    ]

    static let notifications: [NotificationRule] = [
        .url(at: "custom.u"), .url(at: "os_data.u"),
        .id(at: "data.messageId", opens: "/messages/:id"), .id(at: "data.requestId", opens: "/request/:id"),
        .id(at: "custom.a.messageId", opens: "/messages/:id"), .id(at: "custom.a.requestId", opens: "/request/:id"),
        .id(at: "messageId", opens: "/messages/:id"), .id(at: "requestId", opens: "/request/:id"),
    ]
}

/// The user's role in the app.
public enum ProfileType: String, Sendable, Hashable, CaseIterable {
    /// Looks for an apartment; the initial role.
    case guest = "Guest"
    /// Offers an apartment.
    case host = "Host"

    /// The shortcuts of the home screen for this role, in order.
    public var shortcuts: [ShortcutItem] {
        func item(_ key: ShortcutKey, _ title: String, _ icon: String) -> ShortcutItem {
            ShortcutItem(type: key.rawValue, localizedTitle: title, icon: icon)
        }
        let all = [
            item(.activity, "Recent Activity", "Alert Icon"), item(.messages, "Messages", "Messenger Icon"),
            item(.newListing, "New Listing", "New Listing Icon"),
        ]
        return switch self {
        case .guest: Array(all.prefix(2))
        case .host: all
        }
    }
}

/// The types of the shortcuts; note the capital M of the last one.
public enum ShortcutKey: String, Sendable, Hashable, CaseIterable {
    /// The form for a new listing.
    case newListing = "com.myApp.newListing"
    /// The recent activity.
    case activity = "com.myApp.activity"
    /// The list of all chats.
    case messages = "com.MyApp.messages"
}
