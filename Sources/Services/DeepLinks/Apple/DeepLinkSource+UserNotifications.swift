#if canImport(UserNotifications) && !os(tvOS)
    import CoreNetKitEssentials
    public import UserNotifications

    extension DeepLinkSource {
        /// Converts the response that `userNotificationCenter(_:didReceive:)` receives; a dismissal gives `nil`.
        public init?(_ response: UNNotificationResponse) {
            let action = response.actionIdentifier
            guard action != UNNotificationDismissActionIdentifier else { return nil }
            let notification = response.notification
            self = .notification(
                NotificationPayload(
                    userInfo: notification.request.content.userInfo,
                    // An app may reuse an identifier: the date distinguishes its notifications.
                    id: "\(notification.request.identifier) \(notification.date.timeIntervalSince1970)",
                    action: action == UNNotificationDefaultActionIdentifier ? nil : action,
                    reply: (response as? UNTextInputNotificationResponse)?.userText
                )
            )
        }
    }
#endif
