#if canImport(UserNotifications) && !os(tvOS)
    import CoreNetKitEssentials
    public import UserNotifications

    extension DeepLinkSource {
        /// Takes over a tapped notification, as of `userNotificationCenter(_:didReceive:)`.
        ///
        /// - Parameter response: What the user did; `nil` comes of one that was dismissed.
        public init?(_ response: UNNotificationResponse) {
            let action = response.actionIdentifier
            guard action != UNNotificationDismissActionIdentifier else { return nil }
            let notification = response.notification
            self = .notification(
                NotificationPayload(
                    userInfo: notification.request.content.userInfo,
                    // An app may use one identifier again: the time tells its notifications apart.
                    id: "\(notification.request.identifier) \(notification.date.timeIntervalSince1970)",
                    action: action == UNNotificationDefaultActionIdentifier ? nil : action,
                    reply: (response as? UNTextInputNotificationResponse)?.userText
                )
            )
        }
    }
#endif
