import CoreNetKitSystem

/// When and how a socket connects again.
///
/// A new connection is a new call of the chain: today's token, cookies and trace. What broke off, dead peers, handshakes that
/// fail in a way that may pass, and the codes 1001 and 1011 to 1014 are followed by a wait and another connection; every
/// other close is the end, unless `reconnecting(after:)` decides otherwise.
public struct SocketReconnection: Sendable, Hashable {
    /// The window in which the first new connection is made, at a time of its own for each client.
    public var initial: Duration = .seconds(1)
    /// The shortest wait.
    public var floor: Duration = .milliseconds(100)
    /// The window doubles with each failure, up to this.
    public var cap: Duration = .seconds(30)
    /// A connection that was open for this time counts as a success, with or without messages.
    public var reset: Duration = .seconds(60)
    /// How many failures in a row are the end; `nil` for no limit.
    public var limit: Int?
    let isAllowed: Bool

    private init(isAllowed: Bool) { self.isAllowed = isAllowed }

    /// Never: the end of the connection is the end of the socket.
    public static let never = SocketReconnection(isAllowed: false)

    /// Without a limit, within a second at first, within 30 s after some failures.
    public static let standard = SocketReconnection(isAllowed: true)

    /// The wait before the next connection.
    ///
    /// - Parameters:
    ///   - failures: How many connections in a row came to nothing.
    ///   - retryAfter: What the server asked for.
    ///   - random: A number of 0..<1.
    /// - Returns: A time in the window, and no less than what the server asked for.
    package func wait(failures: Int, retryAfter: Duration?, random: Double) -> Duration {
        let window = max(initial, floor).doubled(min(failures, 16), upTo: max(cap, floor))
        return max(floor + (window - floor) * random, retryAfter ?? .zero)
    }
}

/// What follows the end of a connection.
public enum SocketDecision: Sendable, Hashable {
    /// Another connection, after a wait.
    case reconnect
    /// Another connection with a new token: the one that there is was refused.
    case renewToken
    /// The end of the socket, with the close as an error.
    case giveUp
}
