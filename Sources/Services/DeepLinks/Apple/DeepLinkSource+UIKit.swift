#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
    import CoreNetKit
    public import UIKit

    extension DeepLinkSource {
        /// Converts a shortcut, as received by `windowScene(_:performActionFor:completionHandler:)`.
        public init(_ item: UIApplicationShortcutItem) {
            self = .shortcut(type: item.type, info: Json(keepingJson: item.userInfo ?? [:]) ?? [:])
        }

        /// Converts a URL, as received by `scene(_:openURLContexts:)`.
        @MainActor
        public init(_ context: UIOpenURLContext) { self = .url(context.url) }

        /// Converts an activity, as received by `scene(_:continue:)`.
        public init(_ activity: NSUserActivity) {
            self = .activity(type: activity.activityType, webpageURL: activity.webpageURL)
        }

        /// Returns everything that a scene was launched with, from the options of `scene(_:willConnectTo:options:)`: the
        /// app delegate is not called in that case.
        @MainActor
        public static func all(in options: UIScene.ConnectionOptions) -> [DeepLinkSource] {
            var sources = options.urlContexts.map { DeepLinkSource($0) }
            sources += options.userActivities.map { DeepLinkSource($0) }
            if let item = options.shortcutItem { sources.append(DeepLinkSource(item)) }
            if let response = options.notificationResponse, let source = DeepLinkSource(response) {
                sources.append(source)
            }
            return sources
        }
    }

    extension [ShortcutItem] {
        /// Puts these shortcuts on the home screen.
        @MainActor
        public func showOnHomeScreen() {
            UIApplication.shared.shortcutItems = map { item in
                UIApplicationShortcutItem(
                    type: item.type,
                    localizedTitle: item.localizedTitle,
                    localizedSubtitle: item.localizedSubtitle,
                    icon: item.icon.map { UIApplicationShortcutIcon(templateImageName: $0) },
                    userInfo: nil
                )
            }
        }
    }
#else
    extension [ShortcutItem] {
        /// Does nothing: there is no home screen.
        @MainActor
        public func showOnHomeScreen() {}
    }
#endif
