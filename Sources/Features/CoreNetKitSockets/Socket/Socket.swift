public import CoreNetKitChain
import CoreNetKitSystem
import CoreNetKitWire

/// A WebSocket with messages as models: the output of a chain after its handshake.
///
/// Incoming messages are an `AsyncSequence`, read no faster than they are consumed; ``send(_:)`` waits until the operating
/// system has accepted the message. The socket is closed by ``close()`` or ``close(_:_:)``, when the socket and its
/// iterators are released, and when the reading task is cancelled. There is one reader at a time; any number of tasks may
/// send.
public struct Socket<In: Sendable, Out: Sendable>: AsyncSequence, Sendable {
    /// Reads the messages in order.
    public struct Iterator: AsyncIteratorProtocol {
        let reading: Reading

        init(_ socket: Socket) { reading = Reading(socket) }

        /// Waits for the next message.
        ///
        /// - Returns: The message; `nil` if this side has closed, or the peer has closed with code 1000, 1001 or none.
        /// - Throws: `NetworkError` with a ``SocketError`` as its cause: `connectionLost` if the connection broke or the peer is
        ///   silent, `reportedByServer` for any other close code, `invalidResponse` for a protocol violation,
        ///   `responseTooLarge`, `decodingFailed`; `userChanged`; an error that a ``/CoreNetKit/Chain`` verb found in a message;
        ///   `CancellationError`, which closes the socket.
        public mutating func next() async throws -> In? { try await reading.socket.next() }
    }

    /// Reports the start and the end of reading.
    final class Reading: Sendable {
        let socket: Socket

        init(_ socket: Socket) {
            self.socket = socket
            socket.core.inbox.beginReading()
        }

        deinit { socket.core.inbox.endReading() }
    }

    /// Closes the socket when the last reference to it is released.
    final class Handle: Sendable {
        let core: SocketCore
        init(_ core: SocketCore) { self.core = core }
        deinit { core.beginClosing(SocketClose(.normal)) }
    }

    let handle: Handle
    let read: @Sendable (SocketMessage) throws -> In
    let write: @Sendable (Out) throws -> SocketMessage
    let rules: SocketRules<In, Out>

    private var core: SocketCore { handle.core }

    /// Starts or continues reading.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Sends a message after earlier ones; between two connections it waits for the next one.
    ///
    /// If the task is cancelled, the message is sent completely, or the call throws: nothing is sent of a message that still
    /// waits; one that is partly written while the peer does not read ends the connection, with the cause
    /// ``SocketError/Code/abandoned``. A message whose connection broke is not sent again.
    /// - Throws: `NetworkError` with code `encodingFailed`, or the reason why it was not sent: `isSafeToResend` is true only
    ///   if no byte of it was sent; `CancellationError`.
    public func send(_ message: Out) async throws { try await core.send(try encoded(message)) }

    func encoded(_ message: Out) throws -> SocketMessage {
        try NetworkError.mapping(to: .encodingFailed, node: core.node) { try write(message) }
    }

    /// Closes the socket with code 1000, and waits for the peer's close, no longer than ``SocketOptions/closeTimeout``.
    ///
    /// Unread messages are dropped; messages that are being sent go first.
    /// - Returns: How it ended: ``SocketClose/Code/abnormal`` if the peer did not answer.
    @discardableResult
    public func close() async -> SocketClose { await core.close(SocketClose(.normal)) }

    /// Closes the socket, as ``close()`` does, with a code and a human-readable reason of at most 123 bytes of UTF-8.
    ///
    /// - Throws: `NetworkError` with code `invalidRequest` for a code that must not be sent, such as 999 or 1005; the
    ///   socket remains open then.
    @discardableResult
    public func close(_ code: SocketClose.Code, _ reason: String = "") async throws(NetworkError) -> SocketClose {
        let close = SocketClose(code, reason)
        try close.requireSendable(at: core.node)
        return await core.close(close)
    }

    /// Sends a ping, waits for its pong, and returns the round-trip time.
    ///
    /// - Throws: `NetworkError` when the connection ends first; `CancellationError`.
    public func ping() async throws -> Duration { try await core.ping() }

    /// The state of the socket.
    public var state: SocketState { core.states.value }

    /// The current and future states of the socket, of which only the newest is kept; ends with the socket.
    ///
    /// It does not retain the socket: take it before the loop over it, which runs in a task of its own.
    public var states: AsyncStream<SocketState> { core.states.values }

    /// Statistics of the socket so far.
    public var statistics: SocketStatistics { core.state.withLock(\.statistics) }

    /// The protocol that the server selected from ``SocketOptions/protocols`` for the current connection.
    public var selectedProtocol: String? { core.state.withLock { $0.link?.agreement.selectedProtocol } }

    private func next() async throws -> In? {
        while true {
            let message: SocketMessage?
            do {
                message = try await core.inbox.next()
            } catch let error as CancellationError {
                core.beginClosing(SocketClose(.goingAway))
                throw error
            }
            guard let message else { return nil }
            switch rules.interpretation(of: message, read, at: core.node) {
            case .model(let model): return model
            case .skipped: core.note { $0.skipped += 1 }
            case .failure(let failure, let code):
                core.inbox.end(failure, drops: true)
                core.beginClosing(SocketClose(code))
                throw failure
            }
        }
    }
}

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

/// What is known of a new connection when its first messages are chosen.
public struct SocketResume: Sendable, Hashable {
    /// How many times the socket has reconnected; 0 for the first connection.
    public let reconnects: Int
    /// How the previous connection ended; `nil` for the first one.
    public let lastClose: SocketClose?
    /// The protocol that the server selected from those offered.
    public let selectedProtocol: String?
}
