/// The state of a socket.
public enum SocketState: Sendable, Hashable {
    /// A connection is being made.
    case connecting
    /// Messages can be sent and received.
    case open
    /// The next connection is opened after this time.
    case waiting(Duration)
    /// No more messages are sent or received.
    case closed(SocketClose)
}

/// Statistics of a socket, over all its connections.
public struct SocketStatistics: Sendable, Hashable {
    /// Received messages.
    public internal(set) var messagesReceived = 0
    /// Messages that the operating system has accepted.
    public internal(set) var messagesSent = 0
    /// Bytes received after the handshakes.
    public internal(set) var bytesReceived: Int64 = 0
    /// Bytes sent after the handshakes.
    public internal(set) var bytesSent: Int64 = 0
    /// The round-trip time of the latest ping.
    public internal(set) var latestPing: Duration?
    /// How many times a reconnection was tried.
    public internal(set) var reconnects = 0
    /// Messages that were skipped because they could not be decoded.
    public internal(set) var skipped = 0
}

/// Data of the connection for a greeting.
public struct SocketResume: Sendable, Hashable {
    /// How many times the socket has reconnected; 0 for the first connection.
    public let reconnects: Int
    /// How the previous connection ended; `nil` for the first one.
    public let lastClose: SocketClose?
    /// The protocol that the server selected from those offered.
    public let selectedProtocol: String?
}
