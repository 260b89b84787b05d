public import CoreNetKitEssentials

/// An event from the client of a scripted WebSocket.
public enum SocketPeerEvent: Sendable, Hashable {
    /// A text.
    case text(String)
    /// Bytes.
    case data(Data)
    /// A ping; the pong was already sent, unless the peer is mute.
    case ping(Data)
    /// A pong.
    case pong(Data)
    /// A close; the response was already sent, unless the peer is mute. The code is 1005 if the client sent none.
    case close(code: UInt16, reason: String)
    /// The end of the connection.
    case end
}

/// Why the script of a WebSocket cannot continue: the client did something else.
public struct SocketPeerMismatch: Error, Sendable, CustomStringConvertible {
    /// What was expected and what arrived.
    public let description: String

    package init(description: String) { self.description = description }
}
