public import DeepLinks

/// The user's role in the app.
public enum ProfileType: String, Sendable, Hashable, CaseIterable {
    /// Looks for an apartment; the initial role.
    case guest = "Guest"
    /// Offers an apartment.
    case host = "Host"

    /// The shortcuts of the home screen for this role, in order.
    public var shortcuts: [ShortcutItem] {
        let activity = ShortcutItem(
            type: ShortcutKey.activity.rawValue,
            localizedTitle: "Recent Activity",
            icon: "Alert Icon"
        )
        let messages = ShortcutItem(
            type: ShortcutKey.messages.rawValue,
            localizedTitle: "Messages",
            icon: "Messenger Icon"
        )
        let newListing = ShortcutItem(
            type: ShortcutKey.newListing.rawValue,
            localizedTitle: "New Listing",
            icon: "New Listing Icon"
        )
        return switch self {
        case .guest: [activity, messages]
        case .host: [activity, messages, newListing]
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
