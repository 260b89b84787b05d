/// A shortcut of the home screen as a value; the adapter makes a `UIApplicationShortcutItem` of it.
public struct ShortcutItem: Sendable, Hashable {
    /// What tells shortcuts apart.
    public let type: String
    /// The title under the icon of the app.
    public let localizedTitle: String
    /// The line under the title.
    public let localizedSubtitle: String?
    /// The name of a template image in the app's bundle.
    public let icon: String?

    /// Creates a shortcut.
    ///
    /// - Parameters:
    ///   - type: What tells shortcuts apart.
    ///   - localizedTitle: The title under the icon of the app.
    ///   - localizedSubtitle: The line under the title.
    ///   - icon: The name of a template image in the app's bundle.
    public init(type: String, localizedTitle: String, localizedSubtitle: String? = nil, icon: String? = nil) {
        self.type = type
        self.localizedTitle = localizedTitle
        self.localizedSubtitle = localizedSubtitle
        self.icon = icon
    }
}
