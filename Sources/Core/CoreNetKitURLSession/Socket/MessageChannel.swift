package import Foundation

/// A WebSocket as a platform has it: whole messages, its frames and its handshake out of sight.
///
/// One reader and one writer at a time.
package protocol MessageChannel: Sendable {
    func send(_ message: ChannelMessage) async throws

    /// Waits for the next message; throws when there is none any more.
    func receive() async throws -> ChannelMessage

    /// Sends a ping, and tells of its pong.
    func ping(_ ponged: @escaping @Sendable () -> Void)

    /// Sends a close; nothing is sent behind it.
    func close(_ code: UInt16, _ reason: Data)

    /// What the other side has closed with.
    var closed: (code: UInt16, reason: Data)? { get }

    /// Ends the connection at once.
    func cut()
}

/// A message of a ``MessageChannel``.
package enum ChannelMessage: Sendable, Hashable {
    case text(String)
    case data(Data)
}
