public import CoreNetKitEssentials
public import DeepLinks

// Names of document 001, the user's specification (a tutorial), as thin wrappers; `Docs/Services/Names.md` maps them.

/// The manager of the tutorial.
@MainActor public let Deeplinker = DeepLinkManager()

/// The manager under the name that the tutorial's text uses.
public typealias DeeplinkManager = DeepLinkManager

/// Stores the link of the last source, and opens it when the app becomes active.
@MainActor
public final class DeepLinkManager {
    /// The center that holds the link; it also reports why one was rejected.
    public let center: DeepLinkCenter<DeeplinkType>
    private let navigator: DeeplinkNavigator

    /// The hosts of the app's universal links; set them at launch.
    public var hosts: [String] = [] {
        didSet { center.parser = DeeplinkType.parser(hosts: hosts) }
    }

    /// Whether the app is in the foreground, where an incoming notification opens nothing.
    public var isInForeground: @MainActor () -> Bool = DeepLinkManager.isAppActive

    /// Creates a manager on a center.
    ///
    /// Links to pages of certain profiles wait until ``ShortcutParser/registerShortcuts(for:in:)`` sets the profile.
    ///
    /// - Parameters:
    ///   - center: The center that holds the link; pass one with a log or another clock.
    ///   - navigator: Opens the pages.
    public init(
        center: DeepLinkCenter<DeeplinkType> = DeepLinkCenter(parser: DeeplinkType.parser()),
        navigator: DeeplinkNavigator = .shared
    ) {
        (self.center, self.navigator) = (center, navigator)
    }

    /// Opens the waiting link, once; call it in `applicationDidBecomeActive`.
    public func checkDeepLink() {
        guard navigator.open != nil else { return }
        center.setReady(true)
        center.deliver { navigator.proceedToDeeplink($0) }
    }

    /// Stores the link of a shortcut; returns whether there is a page for it.
    @discardableResult
    public func handleShortcut(item: ShortcutItem) -> Bool { center.receive(.shortcut(type: item.type)) }

    /// Stores the link of a URL of the app's scheme or, with one of ``hosts``, of a universal link.
    ///
    /// Returns whether there is a page for it.
    @discardableResult
    public func handleDeeplink(url: URL) -> Bool {
        center.receive(.url(url, kind: url.scheme?.lowercased() == "https" ? .universalLink : .link))
    }

    /// Stores the link of a notification; `nil` assumes that it was tapped unless the app is in the foreground.
    public func handleRemoteNotification(_ notification: [AnyHashable: Any], isTapped: Bool? = nil) {
        let isTapped = isTapped ?? !isInForeground()
        center.receive(.notification(NotificationPayload(userInfo: notification, isTapped: isTapped)))
    }
}

/// Opens pages with a closure that the app sets.
@MainActor
public final class DeeplinkNavigator {
    /// The navigator of the app.
    public static let shared = DeeplinkNavigator()

    /// Shows a page; links wait until it is set.
    public var open: (@MainActor (DeeplinkType) -> Void)?

    /// Creates a navigator.
    public init(open: (@MainActor (DeeplinkType) -> Void)? = nil) { self.open = open }

    /// Shows a page.
    public func proceedToDeeplink(_ type: DeeplinkType) { open?(type) }

    /// Shows a page; the tutorial's alternative name.
    public func forwardToDeeplink(_ type: DeeplinkType) { open?(type) }
}

/// Parses URLs.
public final class DeeplinkParser: Sendable {
    /// The parser of the tutorial's scheme.
    public static let shared = DeeplinkParser()

    private init() {}

    /// The page of a URL, `nil` if there is none.
    public func parseDeepLink(_ url: URL) -> DeeplinkType? { try? DeeplinkType.parser().parse(.url(url)) }
}

/// Parses notifications.
public final class NotificationParser: Sendable {
    /// The parser of the tutorial's payload.
    public static let shared = NotificationParser()

    private init() {}

    /// The page of a notification's `userInfo`, `nil` if there is none.
    public func handleNotification(_ userInfo: [AnyHashable: Any]) -> DeeplinkType? {
        try? DeeplinkType.parser().parse(.notification(NotificationPayload(userInfo: userInfo)))
    }
}

/// Parses shortcuts, and registers those of a profile.
public final class ShortcutParser: Sendable {
    /// The parser of the tutorial's shortcuts.
    public static let shared = ShortcutParser()

    private init() {}

    /// The page of a shortcut, `nil` if there is none.
    public func handleShortcut(_ shortcut: ShortcutItem) -> DeeplinkType? {
        try? DeeplinkType.parser().parse(.shortcut(type: shortcut.type))
    }

    /// Puts the shortcuts of a profile on the home screen, if there is one, and rejects links that are not for it.
    @MainActor
    @discardableResult
    public func registerShortcuts(for profileType: ProfileType, in manager: DeepLinkManager = Deeplinker)
        -> [ShortcutItem]
    {
        manager.center.setProfile(profileType.rawValue)
        profileType.shortcuts.showOnHomeScreen()
        return profileType.shortcuts
    }

    /// Puts the shortcuts of a profile on the home screen, as the tutorial's view controller calls it.
    @MainActor
    @discardableResult
    public static func registerShortcuts(for profileType: ProfileType) -> [ShortcutItem] {
        shared.registerShortcuts(for: profileType)
    }
}
