import CoreNetKitSystem

/// When and how a socket reconnects.
///
/// A new connection is a new call of the chain, with current token, cookies and trace. Broken connections, dead peers,
/// handshakes with a temporary failure, and the codes 1001 and 1011 to 1014 are followed by a wait and a reconnection; any
/// other close is final, unless `reconnecting(after:)` decides otherwise.
public struct SocketReconnection: Sendable, Hashable {
    /// The window of the first wait; the moment in it is random for each client.
    public var initial: Duration = .seconds(1)
    /// The shortest wait.
    public var floor: Duration = .milliseconds(100)
    /// The window doubles with each failure, up to this.
    public var cap: Duration = .seconds(30)
    /// A connection that was open for this long resets the count of failures, with or without messages.
    public var reset: Duration = .seconds(60)
    /// How many consecutive failures end the socket; `nil` for no limit.
    public var limit: Int?
    let isAllowed: Bool

    private init(isAllowed: Bool) { self.isAllowed = isAllowed }

    /// Never: the end of the connection is the end of the socket.
    public static let never = SocketReconnection(isAllowed: false)

    /// Without a limit: at first within a second, after several failures within 30 s.
    public static let standard = SocketReconnection(isAllowed: true)

    /// The wait before the next connection.
    ///
    /// - Parameters:
    ///   - failures: The number of consecutive failed connections.
    ///   - retryAfter: What the server asked for.
    ///   - random: A number in 0..<1.
    /// - Returns: A time in the window, not less than the server asked for.
    package func wait(failures: Int, retryAfter: Duration?, random: Double) -> Duration {
        let window = max(initial, floor).doubled(min(failures, 16), upTo: max(cap, floor))
        return max(floor + (window - floor) * random, retryAfter ?? .zero)
    }
}

/// What follows the end of a connection.
public enum SocketDecision: Sendable, Hashable {
    /// Reconnect, after a wait.
    case reconnect
    /// Reconnect with a new token: the current one was refused.
    case renewToken
    /// End the socket, with the close as an error.
    case giveUp
}
