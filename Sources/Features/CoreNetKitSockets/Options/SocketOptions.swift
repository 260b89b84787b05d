/// How a socket is opened and kept.
public struct SocketOptions: Sendable {
    /// The subprotocols that are offered, in the order of liking.
    public var protocols: [String] = []
    /// How a dead peer is detected; `nil` disables the check.
    public var keepAlive: SocketKeepAlive? = .every(.seconds(20), within: .seconds(20))
    /// The maximum number of bytes of one message that comes, after decompression.
    public var messageLimit = 1 << 20
    /// How many messages are read ahead of the reader; then the server has to wait.
    public var inbox = 16
    /// The maximum number of bytes that are made ready for the wire at a time; a larger message goes alone.
    public var outbox = 1 << 20
    /// Compression of messages; off by default, because it takes memory for each socket.
    public var compression: SocketCompression?
    /// When and how a new connection is made.
    public var reconnection = SocketReconnection.never
    /// How long a close waits for the other side's.
    public var closePatience: Duration = .seconds(5)

    /// Creates the options that suit most servers.
    public init() {}
}

/// How a dead peer is noticed: a ping after silence, and an end when nothing follows.
///
/// Any byte that comes is a sign of life; so is one that goes while more wait behind it, as on a slow line. While the inbox
/// is full nothing is read, and no ping is sent: the other side counts as dead only where a message waits to be taken, and
/// nothing has moved for both times.
public struct SocketKeepAlive: Sendable, Hashable {
    /// The silence after which a ping is sent.
    public var interval: Duration
    /// How long after the ping a sign of life may take.
    public var patience: Duration

    /// A ping after so much silence, and an end when nothing comes within so much time after it.
    public static func every(_ interval: Duration, within patience: Duration) -> SocketKeepAlive {
        SocketKeepAlive(interval: interval, patience: patience)
    }
}

/// How messages are compressed (RFC 7692), where the server agrees and the platform has zlib.
///
/// - SeeAlso: [RFC 7692](https://www.rfc-editor.org/rfc/rfc7692)
public struct SocketCompression: Sendable, Hashable {
    /// The window, 9...15: 2 to that power of bytes, in each direction.
    public var windowBits: Int
    /// Whether what was sent before helps to compress what follows; takes memory for as long as the socket is open.
    public var keepsContext: Bool
    /// Messages of fewer bytes are sent as they are.
    public var threshold: Int

    /// Compression by DEFLATE.
    ///
    /// - Parameters:
    ///   - windowBits: The window, 9...15.
    ///   - keepsContext: Whether what was sent before helps to compress what follows.
    ///   - threshold: Messages of fewer bytes are sent as they are.
    /// - Returns: The settings.
    public static func deflate(
        windowBits: Int = 12,
        keepsContext: Bool = false,
        above threshold: Int = 512
    ) -> SocketCompression {
        SocketCompression(windowBits: windowBits, keepsContext: keepsContext, threshold: threshold)
    }
}
