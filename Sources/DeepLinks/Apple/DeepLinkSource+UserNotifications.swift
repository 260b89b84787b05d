#if canImport(UserNotifications) && !os(tvOS)
    public import UserNotifications

    extension DeepLinkSource {
        /// Takes over a tapped notification, as of `userNotificationCenter(_:didReceive:)`.
        ///
        /// - Parameter response: What the user did; `nil` comes of one that was dismissed.
        public init?(_ response: UNNotificationResponse) {
            guard response.actionIdentifier != UNNotificationDismissActionIdentifier else { return nil }
            let request = response.notification.request
            self = .notification(NotificationPayload(userInfo: request.content.userInfo, id: request.identifier))
        }
    }
#endif
