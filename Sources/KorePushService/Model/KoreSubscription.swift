/// A device that the server has subscribed.
public struct KoreSubscription: Sendable, Hashable {
    /// The id of the user whose notifications it gets.
    public let userID: String
    /// The token of the device.
    public let token: KoreDeviceToken
    /// What the server said, where it said something.
    public let message: String?
}

/// What is kept of a user's device.
public struct KoreState: Sendable, Hashable {
    /// The token that is or is to be subscribed; `nil` when none is.
    public let token: KoreDeviceToken?
    /// Whether the server has said yes to it.
    public let isSubscribed: Bool
    /// Whether nothing is left to send.
    public let isComplete: Bool
}
