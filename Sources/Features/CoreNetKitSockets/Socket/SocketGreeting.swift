import CoreNetKitChain

/// A connection during its greeting: until the closure returns, only the greeting sends and reads on it.
public struct SocketGreeting<In: Sendable, Out: Sendable>: Sendable {
    let channel: GreetingChannel
    let read: @Sendable (SocketMessage) throws -> In
    let write: @Sendable (Out) throws -> SocketMessage
    let rules: SocketRules<In, Out>

    /// Data of the connection.
    public var resume: SocketResume { channel.resume }

    /// Sends a message.
    ///
    /// - Parameter message: The message.
    /// - Throws: As ``Socket/send(_:)``.
    public func send(_ message: Out) async throws {
        try await channel.send(try NetworkError.mapping(to: .encodingFailed, node: channel.node) { try write(message) })
    }

    /// Waits for a reply.
    ///
    /// Other messages are left for the reader of the socket, in their order; no more than ``SocketOptions/inbox``.
    /// - Parameter isReply: Whether a message is the reply; an error that it throws ends the greeting, unless it is caught.
    /// - Returns: The reply, which the reader of the socket does not get.
    /// - Throws: `NetworkError` as ``Socket/Iterator/next()``, and for a close with any code, with a ``SocketError`` as its
    ///   cause; `responseTooLarge` for too many other messages; `CancellationError`.
    @discardableResult
    public func reply(where isReply: @Sendable (In) throws -> Bool = { _ in true }) async throws -> In {
        try await channel.first { message in
            switch rules.reading(of: message, read, at: channel.node) {
            case .model(let model): return try isReply(model) ? .found(model) : .passed
            case .failure(let failure, _): throw failure
            case .skipped:
                channel.noteSkipped()
                return .dropped
            }
        }
    }
}
