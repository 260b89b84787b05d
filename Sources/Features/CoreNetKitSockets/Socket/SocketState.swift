/// What a socket is doing.
public enum SocketState: Sendable, Hashable {
    /// A connection is being made.
    case connecting
    /// Messages go and come.
    case open
    /// The next connection is made after this time.
    case waiting(Duration)
    /// No more messages go or come.
    case closed(SocketClose)
}

/// What went through a socket, over all its connections.
public struct SocketFigures: Sendable, Hashable {
    /// Messages that came.
    public internal(set) var messagesReceived = 0
    /// Messages that were handed to the operating system.
    public internal(set) var messagesSent = 0
    /// Bytes from the wire, after the handshake.
    public internal(set) var bytesReceived: Int64 = 0
    /// Bytes to the wire, after the handshake.
    public internal(set) var bytesSent: Int64 = 0
    /// How long the latest ping took.
    public internal(set) var latestPing: Duration?
    /// How many times a new connection was tried.
    public internal(set) var reconnects = 0
    /// Messages that were left out because they were not the model's.
    public internal(set) var skipped = 0
}

/// Data of the connection for a greeting.
public struct SocketResume: Sendable, Hashable {
    /// How many times a new connection was made; 0 for the first one.
    public let reconnects: Int
    /// How the connection before ended; `nil` for the first one.
    public let lastClose: SocketClose?
    /// What the server selected of the protocols that were offered.
    public let selectedProtocol: String?
}
