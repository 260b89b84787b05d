public import CoreNetKitEssentials

/// A connection after a 101: bytes in both directions, in order, with back-pressure in each.
///
/// One reader and one writer at a time; the two do not wait for each other. The connection ends with ``close()``, and
/// when the last copy is released. No timeout applies to it.
public struct DuplexStream: Sendable {
    /// Ends the connection when it can no longer be used.
    private final class Connection: DuplexSource {
        let incoming: ResponseStream.Source
        private let write: @Sendable (Data) async throws -> Void
        let source: (any DuplexSource)?

        init(
            receive read: @escaping @Sendable () async throws -> Data?,
            send write: @escaping @Sendable (Data) async throws -> Void,
            close end: @escaping @Sendable () -> Void,
            source: (any DuplexSource)?
        ) {
            incoming = ResponseStream.Source(next: read, cancel: end, ending: { nil })
            (self.write, self.source) = (write, source)
        }

        deinit { incoming.close() }

        func poll() -> Result<Data?, any Error>? {
            if incoming.isClosed { return .success(nil) }
            let result = source?.poll()
            // As in `receive`: the end, not an error, if it was closed here.
            if case .failure = result, incoming.isClosed { return .success(nil) }
            return result
        }

        func registerWaker(_ wake: @escaping @Sendable () -> Void) -> Bool {
            if incoming.isClosed { return false }
            return source?.registerWaker(wake) ?? false
        }

        func send(_ data: Data) async throws {
            guard !incoming.isClosed else {
                let message = "the connection was closed by its holder"
                throw TransportError(.connectionLost, phase: .send, message: message, isSafeToResend: true)
            }
            try await write(data)
        }
    }

    private let connection: Connection

    /// Creates a connection, for transports and mocks.
    ///
    /// - Parameters:
    ///   - receive: Returns the next bytes, beginning with those that arrived directly after the 101, and `nil` when
    ///     the peer has ended its direction properly; called by one reader at a time. A cancelled task throws
    ///     `CancellationError` and consumes no bytes.
    ///   - send: Returns when the operating system has accepted all bytes; called by one writer at a time. A cancelled
    ///     task throws `CancellationError` if no byte was accepted yet, and otherwise sends all of them.
    ///     `isSafeToResend` of its error tells whether no byte was sent.
    ///   - close: Ends both directions at once, and resumes tasks that wait in `receive` or `send`.
    public init(
        receive: @escaping @Sendable () async throws -> Data?,
        send: @escaping @Sendable (Data) async throws -> Void,
        close: @escaping @Sendable () -> Void
    ) { connection = Connection(receive: receive, send: send, close: close, source: nil) }

    /// The same with a source, for readers that wait without a suspended `receive`.
    package init(
        receive: @escaping @Sendable () async throws -> Data?,
        send: @escaping @Sendable (Data) async throws -> Void,
        close: @escaping @Sendable () -> Void,
        source: (any DuplexSource)?
    ) { connection = Connection(receive: receive, send: send, close: close, source: source) }

    /// This connection's source, if its transport has one: it ends with ``close()``, as `receive` does.
    package var source: (any DuplexSource)? { connection.source == nil ? nil : connection }

    /// Waits for the next bytes.
    ///
    /// - Returns: At least one byte; `nil` when the peer has ended its direction, or the connection was closed here.
    /// - Throws: `TransportError` when the connection broke (in a chain, as the cause of a `NetworkError`);
    ///   `CancellationError` when the task was cancelled, which loses no bytes.
    public func receive() async throws -> Data? {
        // The connection closes what it reads from when it is released.
        defer { withExtendedLifetime(connection) {} }
        return try await connection.incoming.read()
    }

    /// Sends bytes; waits while the peer does not accept them.
    ///
    /// - Parameter data: The bytes.
    /// - Throws: `TransportError` when the connection broke or is closed, with `isSafeToResend` true only if no byte
    ///   was sent; `CancellationError` when the task was cancelled before the first byte: then none is sent.
    public func send(_ data: Data) async throws { try await connection.send(data) }

    /// Ends both directions, even if other code still holds the connection: a waiting reader gets the end.
    public func close() { connection.incoming.close() }
}

/// The bytes of a connection for a reader that waits in its own frame: a suspended `receive` would keep the frames of all
/// layers below it in memory, some 3 kB per idle connection.
///
/// One reader at a time, and no concurrent `receive`.
package protocol DuplexSource: AnyObject, Sendable {
    /// Takes the bytes that have arrived, or `nil` at the end, as `receive` returns them; no result if the reader has to wait.
    func poll() -> Result<Data?, any Error>?

    /// Calls `wake` once, on any thread, when there are bytes or the end; never if there is something already: `false`.
    func registerWaker(_ wake: @escaping @Sendable () -> Void) -> Bool
}
