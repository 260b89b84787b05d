public import CoreNetKitChain
import CoreNetKitSystem
import CoreNetKitWire

/// A WebSocket with messages as models: the output of a chain after its handshake.
///
/// Messages that come are an `AsyncSequence`, read no faster than they are asked for; ``send(_:)`` waits until the operating
/// system has the message. The socket is closed by ``close()`` or ``close(_:_:)``, when the socket and its iterators are dropped, and when the
/// reading task is cancelled. There is one reader at a time; any number of tasks may send.
public struct Socket<In: Sendable, Out: Sendable>: AsyncSequence, Sendable {
    /// Reads the messages in order.
    public struct Iterator: AsyncIteratorProtocol {
        let reading: Reading

        init(_ socket: Socket) { reading = Reading(socket) }

        /// Waits for the next message.
        ///
        /// - Returns: The message; `nil` if this side has closed, or the other one with code 1000, 1001 or none.
        /// - Throws: `NetworkError` with a ``SocketError`` as its cause: `connectionLost` where the connection broke or the
        ///   other side is silent, `reportedByServer` for any other close code, `invalidResponse` for a broken protocol,
        ///   `responseTooLarge`, `decodingFailed`; `userChanged`; what ``/CoreNetKit/Chain`` verbs say is an error;
        ///   `CancellationError`, which closes the socket.
        public mutating func next() async throws -> In? { try await reading.socket.next() }
    }

    /// Tells that somebody reads, and when nobody does any more.
    final class Reading: Sendable {
        let socket: Socket

        init(_ socket: Socket) {
            self.socket = socket
            socket.core.inbox.beginReading()
        }

        deinit { socket.core.inbox.endReading() }
    }

    /// Closes the socket when nobody holds it any more.
    final class Handle: Sendable {
        let core: SocketCore
        init(_ core: SocketCore) { self.core = core }
        deinit { core.leave(SocketClose(.normal)) }
    }

    let handle: Handle
    let read: @Sendable (SocketMessage) throws -> In
    let write: @Sendable (Out) throws -> SocketMessage
    let rules: SocketRules<In, Out>

    private var core: SocketCore { handle.core }

    /// Starts reading, or goes on reading.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Sends a message, after those that were sent before; between two connections it waits for the next one.
    ///
    /// A cancelled task sends the message completely, or throws: of a message that waits for its turn nothing is sent; one
    /// that is being written, and that the other side does not take, ends the connection with the cause
    /// ``SocketError/Code/abandoned``. A message whose connection broke is not sent again.
    /// - Parameter message: The message.
    /// - Throws: `NetworkError` with code `encodingFailed`, or why it could not be sent: `isSafeToResend` is true only where
    ///   no byte of it has left; `CancellationError`.
    public func send(_ message: Out) async throws {
        try await core.send(try encoded(message))
    }

    /// A message as it is sent.
    func encoded(_ message: Out) throws -> SocketMessage {
        try NetworkError.mapping(to: .encodingFailed, node: core.node) { try write(message) }
    }

    /// Closes the socket with code 1000, and waits for the other side's close, no longer than
    /// ``SocketOptions/closePatience``.
    ///
    /// Messages that are not read yet are dropped; those that are being sent go first.
    /// - Returns: How it ended: ``SocketClose/Code/abnormal`` where the other side said nothing.
    @discardableResult
    public func close() async -> SocketClose { await core.close(SocketClose(.normal)) }

    /// Closes the socket with a code, as ``close()`` does.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - reason: Words for people, at most 123 bytes of UTF-8.
    /// - Returns: How it ended: ``SocketClose/Code/abnormal`` where the other side said nothing.
    /// - Throws: `NetworkError` with code `invalidRequest` for a code that must not be sent, such as 999 or 1005; the
    ///   socket is still open then.
    @discardableResult
    public func close(_ code: SocketClose.Code, _ reason: String = "") async throws(NetworkError) -> SocketClose {
        let close = SocketClose(code, reason)
        try close.requireSendable(at: core.node)
        return await core.close(close)
    }

    /// Sends a ping and waits for its pong.
    ///
    /// - Returns: How long that took.
    /// - Throws: `NetworkError` when the connection ends before; `CancellationError`.
    public func ping() async throws -> Duration { try await core.ping() }

    /// What the socket is doing.
    public var state: SocketState { core.states.value }

    /// The current and future states of the socket: always the newest value; ends with the socket.
    ///
    /// The sequence does not hold the socket: take it before the loop that watches it, in a task of its own.
    public var states: AsyncStream<SocketState> { core.states.values }

    /// What went through the socket so far.
    public var figures: SocketFigures { core.state.withLock(\.figures) }

    /// What the server selected of ``SocketOptions/protocols``, for the connection that there is.
    public var selectedProtocol: String? { core.state.withLock { $0.link?.agreement.selectedProtocol } }

    private func next() async throws -> In? {
        while true {
            let message: SocketMessage?
            do {
                message = try await core.inbox.next()
            } catch let error as CancellationError {
                core.leave(SocketClose(.goingAway))
                throw error
            }
            guard let message else { return nil }
            switch rules.reading(of: message, read, at: core.node) {
            case .model(let model): return model
            case .skipped: core.noteSkipped()
            case .failure(let failure, let code):
                core.fail(failure, SocketClose(code))
                throw failure
            }
        }
    }
}
