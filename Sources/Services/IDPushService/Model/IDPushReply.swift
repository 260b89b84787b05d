/// The result of an action.
public struct IDPushReply: Sendable, Hashable {
    /// The device's id at IDPush.
    public var playerID: String?
    /// The server's message, if it sent one; `nil` also if nothing had to be sent.
    public var message: String?

    /// Creates a reply, for tests of your own code.
    public init(playerID: String?, message: String? = nil) {
        (self.playerID, self.message) = (playerID, message)
    }
}
