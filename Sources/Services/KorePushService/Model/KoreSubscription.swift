/// A device that the server has subscribed.
public struct KoreSubscription: Sendable, Hashable {
    /// The id of the user whose notifications the device receives.
    public let userID: String
    /// The token of the device.
    public let token: KoreDeviceToken
    /// The server's message, if it sent one.
    public let message: String?
}

/// The stored state of a user's device.
public struct KoreState: Sendable, Hashable {
    /// The token that is subscribed or will be; `nil` if there is none.
    public let token: KoreDeviceToken?
    /// Whether the server has confirmed it.
    public let isSubscribed: Bool
    /// Whether nothing is left to send.
    public let isComplete: Bool
}
