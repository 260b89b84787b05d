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
    ///
    /// - Parameters:
    ///   - type: Identifies the shortcut.
    ///   - localizedTitle: The title of the shortcut.
    ///   - localizedSubtitle: The line under the title.
    ///   - icon: The name of a template image in the app's bundle.
    public init(type: String, localizedTitle: String, localizedSubtitle: String? = nil, icon: String? = nil) {
        self.type = type
        self.localizedTitle = localizedTitle
        self.localizedSubtitle = localizedSubtitle
        self.icon = icon
    }
}
