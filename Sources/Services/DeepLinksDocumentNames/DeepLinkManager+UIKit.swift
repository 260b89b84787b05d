#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
    import DeepLinks
    public import UIKit

    extension DeepLinkManager {
        /// Stores the link of a shortcut of `application(_:performActionFor:completionHandler:)`; whether there is a page for it.
        @discardableResult
        public func handleShortcut(item: UIApplicationShortcutItem) -> Bool {
            handleShortcut(item: ShortcutItem(type: item.type, localizedTitle: item.localizedTitle))
        }

        static func isAppActive() -> Bool { UIApplication.shared.applicationState == .active }
    }
#else
    extension DeepLinkManager {
        static func isAppActive() -> Bool { false }
    }
#endif
