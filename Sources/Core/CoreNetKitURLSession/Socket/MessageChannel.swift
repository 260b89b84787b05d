package import Foundation

/// A WebSocket of a platform: whole messages, without access to frames and handshake.
///
/// One reader and one writer at a time.
package protocol MessageChannel: Sendable {
    func send(_ message: ChannelMessage) async throws

    /// Waits for the next message; throws after the last one.
    func receive() async throws -> ChannelMessage

    /// Sends a ping, and reports its pong.
    func ping(_ ponged: @escaping @Sendable () -> Void)

    /// Sends a close; nothing may be sent after it.
    func close(_ code: UInt16, _ reason: Data)

    /// The peer's close, if it has closed.
    var closed: (code: UInt16, reason: Data)? { get }

    /// Ends the connection at once.
    func cut()
}

/// A message of a ``MessageChannel``.
package enum ChannelMessage: Sendable, Hashable {
    case text(String)
    case data(Data)
}
