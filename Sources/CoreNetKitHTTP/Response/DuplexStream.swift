public import CoreNetKitEssentials
import Synchronization

/// A connection after a 101: bytes in both directions, in order, with back-pressure in each.
///
/// One reader and one writer at a time; the two do not wait for each other. The connection ends with ``close()``, and when
/// the last copy is dropped. Nobody but its holder limits how long it lives.
public struct DuplexStream: Sendable {
    /// Ends the connection when nobody can use it any more.
    private final class Connection: Sendable {
        private let read: @Sendable () async throws -> Data?
        private let write: @Sendable (Data) async throws -> Void
        private let end: @Sendable () -> Void
        private let isClosed = Atomic(false)

        init(
            read: @escaping @Sendable () async throws -> Data?,
            write: @escaping @Sendable (Data) async throws -> Void,
            end: @escaping @Sendable () -> Void
        ) {
            (self.read, self.write, self.end) = (read, write, end)
        }

        deinit { close() }

        func close() {
            if !isClosed.exchange(true, ordering: .acquiringAndReleasing) { end() }
        }

        /// The next bytes; the end, and no error, for whoever waits when the connection is closed.
        func receive() async throws -> Data? {
            if isClosed.load(ordering: .acquiring) { return nil }
            do {
                return try await read()
            } catch {
                guard isClosed.load(ordering: .acquiring), !Task.isCancelled else { throw error }
                return nil
            }
        }

        func send(_ data: Data) async throws {
            guard !isClosed.load(ordering: .acquiring) else {
                throw TransportError(
                    .connectionLost,
                    phase: .send,
                    message: "the connection was closed by its holder",
                    isSafeToResend: true
                )
            }
            try await write(data)
        }
    }

    private let connection: Connection

    /// Creates a connection, for transports and mocks.
    ///
    /// - Parameters:
    ///   - receive: Gives the next bytes, those that came right behind the 101 first, and `nil` when the other side has ended
    ///     its direction in good order; called by one reader at a time. A cancelled task throws `CancellationError` and
    ///     takes no bytes.
    ///   - send: Returns when all bytes are handed to the operating system; called by one writer at a time. A cancelled task
    ///     throws `CancellationError` while no byte is handed over, and sends all of them afterwards. What it throws says
    ///     with `isSafeToResend` whether no byte left.
    ///   - close: Ends both directions at once; who waits in one of the other two is resumed.
    public init(
        receive: @escaping @Sendable () async throws -> Data?,
        send: @escaping @Sendable (Data) async throws -> Void,
        close: @escaping @Sendable () -> Void
    ) {
        connection = Connection(read: receive, write: send, end: close)
    }

    /// Waits for the next bytes.
    ///
    /// - Returns: At least one byte; `nil` when the other side has ended its direction, or the connection was closed here.
    /// - Throws: `TransportError` when the connection broke, of a chain's connection as the cause of its `NetworkError`;
    ///   `CancellationError` when the task was cancelled: no byte is lost by that.
    public func receive() async throws -> Data? { try await connection.receive() }

    /// Sends bytes; waits while the other side does not take them.
    ///
    /// - Parameter data: The bytes.
    /// - Throws: `TransportError` when the connection broke or is closed, its `isSafeToResend` true only where no byte left;
    ///   `CancellationError` when the task was cancelled before the first byte left: then none is sent.
    public func send(_ data: Data) async throws { try await connection.send(data) }

    /// Ends both directions, whoever still holds the connection: a reader that waits is told the end.
    public func close() { connection.close() }
}
