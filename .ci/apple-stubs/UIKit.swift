// The part of UIKit that the adapters use, with Apple's signatures and no behaviour: only to type-check them on Linux.
@_exported public import Foundation
public import UserNotifications

/// <https://developer.apple.com/documentation/uikit/uiapplication>
@MainActor
open class UIApplication: NSObject {
    public class var shared: UIApplication { UIApplication() }
    /// <https://developer.apple.com/documentation/uikit/uiapplication/shortcutitems>
    public var shortcutItems: [UIApplicationShortcutItem]?
    /// <https://developer.apple.com/documentation/uikit/uiapplication/applicationstate>
    public var applicationState: State { .active }
    override nonisolated init() {}

    /// <https://developer.apple.com/documentation/uikit/uiapplication/state>
    public enum State: Int, Sendable {
        case active, inactive, background
    }
}

/// <https://developer.apple.com/documentation/uikit/uiapplicationshortcuticon>
open class UIApplicationShortcutIcon: NSObject {
    public convenience init(templateImageName: String) { self.init() }
    override init() {}
}

/// <https://developer.apple.com/documentation/uikit/uiapplicationshortcutitem>
open class UIApplicationShortcutItem: NSObject {
    public let type: String
    public let localizedTitle: String
    public let localizedSubtitle: String?
    public let icon: UIApplicationShortcutIcon?
    public let userInfo: [String: any NSSecureCoding]?

    public init(
        type: String,
        localizedTitle: String,
        localizedSubtitle: String?,
        icon: UIApplicationShortcutIcon?,
        userInfo: [String: any NSSecureCoding]? = nil
    ) {
        self.type = type
        self.localizedTitle = localizedTitle
        self.localizedSubtitle = localizedSubtitle
        self.icon = icon
        self.userInfo = userInfo
    }
}

/// <https://developer.apple.com/documentation/uikit/uiopenurlcontext>
@MainActor
open class UIOpenURLContext: NSObject {
    public let url: URL
    init(url: URL) { self.url = url }
}

/// <https://developer.apple.com/documentation/uikit/uiscene>
@MainActor
open class UIScene: NSObject {
    /// <https://developer.apple.com/documentation/uikit/uiscene/connectionoptions>
    @MainActor
    open class ConnectionOptions: NSObject {
        public var urlContexts: Set<UIOpenURLContext> { [] }
        public var userActivities: Set<NSUserActivity> { [] }
        public var shortcutItem: UIApplicationShortcutItem? { nil }
        public var notificationResponse: UNNotificationResponse? { nil }
        override nonisolated init() {}
    }

    override nonisolated init() {}
}
