public import CoreNetKitEssentials
import Synchronization

/// The chunks of one response's content, read once, with back-pressure.
///
/// The transfer is cancelled by ``close()``, when the stream and its iterator are released, or when the reading task is
/// cancelled. A second iterator continues where the first one stopped.
public struct ResponseStream: AsyncSequence, Sendable {
    /// Reads the chunks in order.
    public struct Iterator: AsyncIteratorProtocol {
        let source: Source

        /// Waits for the next chunk.
        ///
        /// - Returns: At least one byte, or `nil` at the end of the content.
        /// - Throws: `TransportError` when the exchange broke (in a chain, as the cause of a `NetworkError`);
        ///   `CancellationError` when the task was cancelled.
        public mutating func next() async throws -> Data? { try await source.read() }
    }

    /// Cancels the transfer when the stream can no longer be read.
    final class Source: Sendable {
        private let next: @Sendable () async throws -> Data?
        private let cancel: @Sendable () -> Void
        private let closed = Atomic(false)
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

        deinit { close() }

        var isClosed: Bool { closed.load(ordering: .acquiring) }

        func close() { if !closed.exchange(true, ordering: .acquiringAndReleasing) { cancel() } }

        /// The next chunk; if the stream is closed, a waiting reader gets the end, not an error.
        func read() async throws -> Data? {
            if isClosed { return nil }
            do {
                return try await next()
            } catch {
                guard isClosed, !Task.isCancelled else { throw error }
                return nil
            }
        }
    }

    /// Information that is available after the end of the content.
    public struct Ending: Sendable {
        /// Fields after the content.
        public var trailers: Headers
        /// The timings on the wire, up to the end of the content.
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
    ///   - next: Returns the next chunk, `nil` at the end; called by one reader at a time.
    ///   - cancel: Ends the transfer; may be called after the end, without effect.
    ///   - ending: Returns the ending after the end of the content, `nil` before.
    public init(
        next: @escaping @Sendable () async throws -> Data?,
        cancel: @escaping @Sendable () -> Void,
        ending: @escaping @Sendable () -> Ending? = { nil }
    ) { source = Source(next: next, cancel: cancel, ending: ending) }

    /// Trailers and timings, after the end of the content; `nil` before, after a failure, and if the transport does not
    /// provide them.
    public var ending: Ending? { source.ending() }

    /// Ends the transfer, even if other code still holds the stream: a waiting reader gets the end.
    public func close() { source.close() }

    /// Starts or continues reading.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }
}

/// The content of a response, in the form that `ResponseDelivery` asked for.
public enum ResponseBody: Sendable {
    /// The whole content, decompressed; empty if it was discarded.
    case bytes(Data)
    /// Chunks that can be read once.
    case stream(ResponseStream)
    /// The content was written to this file.
    case file(URL)
    /// The connection itself, after a 101: bytes in both directions.
    case duplex(DuplexStream)

    /// The bytes, if the content was collected.
    public var data: Data? { if case .bytes(let data) = self { data } else { nil } }

    /// Returns the whole content, reading a stream or a file to its end.
    ///
    /// - Parameter limit: The maximum number of bytes to accept.
    /// - Returns: The bytes, decompressed.
    /// - Throws: `TransportError` with code `responseTooLarge` over the limit, `unsupported` for a connection, which
    ///   has no content, or the error that broke the stream.
    public func collect(limit: Int = 64 << 20) async throws -> Data {
        var collected: Data
        switch self {
        case .bytes(let data): collected = data
        case .file(let url): collected = try Data(contentsOf: url)
        case .duplex:
            let message = "a connection after a 101 has no content to collect; take it from `body`"
            throw TransportError(.unsupported, phase: .receive, message: message)
        case .stream(let stream):
            collected = Data()
            for try await chunk in stream {
                guard collected.count + chunk.count <= limit else { throw TransportError.tooLarge(limit: limit) }
                collected.append(chunk)
            }
        }
        guard collected.count <= limit else { throw TransportError.tooLarge(limit: limit) }
        return collected
    }
}
