public import CoreNetKitEssentials
import Synchronization

/// The chunks of one response's content, read once, no faster than they are asked for.
///
/// The transfer is cancelled by ``close()``, when the stream and its iterator are dropped, or when the reading task is cancelled.
/// A second iterator continues where the first one stopped.
public struct ResponseStream: AsyncSequence, Sendable {
    /// Reads the chunks in order.
    public struct Iterator: AsyncIteratorProtocol {
        let source: Source

        /// Waits for the next chunk.
        ///
        /// - Returns: At least one byte, or `nil` at the end of the content.
        /// - Throws: `TransportError` when the exchange broke, of a chain's stream as the cause of its `NetworkError`;
        ///   `CancellationError` when the task was cancelled.
        public mutating func next() async throws -> Data? { try await source.read() }
    }

    /// Cancels the transfer when nobody can read on.
    final class Source: Sendable {
        private let next: @Sendable () async throws -> Data?
        private let cancel: @Sendable () -> Void
        private let isClosed = Atomic(false)
        let ending: @Sendable () -> Ending?

        init(
            next: @escaping @Sendable () async throws -> Data?,
            cancel: @escaping @Sendable () -> Void,
            ending: @escaping @Sendable () -> Ending?
        ) {
            self.next = next
            self.cancel = cancel
            self.ending = ending
        }

        deinit { cancel() }

        func close() {
            if !isClosed.exchange(true, ordering: .acquiringAndReleasing) { cancel() }
        }

        /// The next chunk; the end, and no error, for whoever waits when the stream is closed.
        func read() async throws -> Data? {
            if isClosed.load(ordering: .acquiring) { return nil }
            do {
                return try await next()
            } catch {
                guard isClosed.load(ordering: .acquiring), !Task.isCancelled else { throw error }
                return nil
            }
        }
    }

    /// What is known when the content has come to its end.
    public struct Ending: Sendable {
        /// Fields after the content.
        public var trailers: Headers
        /// When what happened on the wire, to the end of the content.
        public var timings: TransportTimings

        /// Creates an ending, for transports and mocks.
        public init(trailers: Headers = [:], timings: TransportTimings = .init()) {
            self.trailers = trailers
            self.timings = timings
        }
    }

    private let source: Source

    /// Creates a stream, for transports and mocks.
    ///
    /// - Parameters:
    ///   - next: Gives the next chunk, `nil` at the end; called by one reader at a time.
    ///   - cancel: Ends the transfer; also called after the end, then without effect.
    ///   - ending: Tells what is known at the end, `nil` before.
    public init(
        next: @escaping @Sendable () async throws -> Data?,
        cancel: @escaping @Sendable () -> Void,
        ending: @escaping @Sendable () -> Ending? = { nil }
    ) {
        source = Source(next: next, cancel: cancel, ending: ending)
    }

    /// Trailers and timings, once the content has come to its end; `nil` before, after a failure, and where the
    /// transport does not tell.
    public var ending: Ending? { source.ending() }

    /// Ends the transfer, whoever still holds the stream: a reader that waits is told the end.
    public func close() { source.close() }

    /// Starts reading, or goes on reading.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }
}
