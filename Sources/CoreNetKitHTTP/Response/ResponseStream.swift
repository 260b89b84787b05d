#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The chunks of one response's content, read once, no faster than they are asked for.
///
/// The transfer is cancelled when the stream and its iterator are dropped, or the reading task is cancelled.
/// A second iterator continues where the first one stopped.
public struct ResponseStream: AsyncSequence, Sendable {
    /// Reads the chunks in order.
    public struct Iterator: AsyncIteratorProtocol {
        let source: Source

        /// Waits for the next chunk.
        ///
        /// - Returns: At least one byte, or `nil` at the end of the content.
        /// - Throws: ``TransportError`` when the exchange broke, of a chain's stream as the cause of its `NetworkError`;
        ///   `CancellationError` when the task was cancelled.
        public mutating func next() async throws -> Data? { try await source.next() }
    }

    /// Cancels the transfer when nobody can read on.
    final class Source: Sendable {
        let next: @Sendable () async throws -> Data?
        let cancel: @Sendable () -> Void

        init(next: @escaping @Sendable () async throws -> Data?, cancel: @escaping @Sendable () -> Void) {
            self.next = next
            self.cancel = cancel
        }

        deinit { cancel() }
    }

    private let source: Source

    /// Creates a stream, for transports and mocks.
    ///
    /// - Parameters:
    ///   - next: Gives the next chunk, `nil` at the end; called by one reader at a time.
    ///   - cancel: Ends the transfer; also called after the end, then without effect.
    public init(
        next: @escaping @Sendable () async throws -> Data?,
        cancel: @escaping @Sendable () -> Void
    ) {
        source = Source(next: next, cancel: cancel)
    }

    /// Starts reading, or goes on reading.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }
}
