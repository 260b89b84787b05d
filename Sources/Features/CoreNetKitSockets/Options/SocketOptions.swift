import CoreNetKitSystem

/// How a socket is opened and kept.
public struct SocketOptions: Sendable {
    /// The offered subprotocols, in order of preference.
    public var protocols: [String] = []
    /// How a dead peer is detected; `nil` disables the check.
    public var keepAlive: SocketKeepAlive? = .every(.seconds(20), within: .seconds(20))
    /// The maximum number of bytes of one incoming message, after decompression.
    public var messageLimit = 1 << 20
    /// How many messages are buffered for the reader; then reading from the server pauses.
    public var inbox = 16
    /// The maximum number of bytes prepared for one write; a larger message is written alone.
    public var outbox = 1 << 20
    /// Compression of messages; off by default, because it takes memory per socket.
    public var compression: SocketCompression?
    /// When and how a new connection is made.
    public var reconnection = SocketReconnection.never
    /// How long a close waits for the peer's close.
    public var closeTimeout: Duration = .seconds(5)

    /// Creates the options that suit most servers.
    public init() {}
}

/// How a dead peer is detected: a ping after silence, and the end of the connection if nothing follows.
///
/// Any incoming byte is a sign of life; so is progress of a write while more data is queued, as on a slow connection. While
/// the inbox is full, nothing is read and no ping is sent: then the peer counts as dead only if data waits to be written and
/// has made no progress for both times together.
public struct SocketKeepAlive: Sendable, Hashable {
    /// The silence after which a ping is sent.
    public var interval: Duration
    /// How long after the ping a sign of life may take.
    public var timeout: Duration

    /// A ping after `interval` of silence, and the end if nothing arrives within `timeout` after it.
    public static func every(_ interval: Duration, within timeout: Duration) -> SocketKeepAlive {
        SocketKeepAlive(interval: interval, timeout: timeout)
    }
}

/// How messages are compressed (RFC 7692), where the server agrees and the platform has zlib.
public struct SocketCompression: Sendable, Hashable {
    /// The window, 9...15: 2 to that power of bytes, in each direction.
    public var windowBits: Int
    /// Whether the compressor keeps its context across messages; takes memory for as long as the socket is open.
    public var keepsContext: Bool
    /// Messages of fewer bytes are sent uncompressed.
    public var threshold: Int

    /// Compression by DEFLATE.
    public static func deflate(
        windowBits: Int = 12,
        keepsContext: Bool = false,
        above threshold: Int = 512
    ) -> SocketCompression {
        SocketCompression(windowBits: windowBits, keepsContext: keepsContext, threshold: threshold)
    }
}

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

    /// The wait before the next connection: a time in the window, not less than the server asked for; `random` is in 0..<1.
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
