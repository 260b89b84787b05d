// The part of UserNotifications that the adapters use, with Apple's signatures and no behaviour: only to type-check them
// on Linux.
public import Foundation

/// <https://developer.apple.com/documentation/usernotifications/unnotificationdismissactionidentifier>
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

/// <https://developer.apple.com/documentation/usernotifications/unnotificationdefaultactionidentifier>
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"

/// <https://developer.apple.com/documentation/usernotifications/untextinputnotificationresponse>
open class UNTextInputNotificationResponse: UNNotificationResponse {
    public var userText: String { "" }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotificationresponse>
open class UNNotificationResponse: NSObject {
    public let notification: UNNotification
    public let actionIdentifier: String

    init(notification: UNNotification, actionIdentifier: String) {
        self.notification = notification
        self.actionIdentifier = actionIdentifier
    }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotification>
open class UNNotification: NSObject {
    public let request: UNNotificationRequest
    public let date = Date()
    init(request: UNNotificationRequest) { self.request = request }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotificationrequest>
open class UNNotificationRequest: NSObject {
    public let identifier: String
    public let content: UNNotificationContent

    init(identifier: String, content: UNNotificationContent) {
        self.identifier = identifier
        self.content = content
    }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotificationcontent>
open class UNNotificationContent: NSObject {
    public var userInfo: [AnyHashable: Any] { [:] }
}
