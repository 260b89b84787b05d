public import CoreNetKit
public import CoreNetKitChain
import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// One part of a multipart response, with its content as a model.
public struct Part<Model: Sendable>: Sendable {
    /// The part's own fields.
    public let headers: Headers
    /// The decoded content.
    public let model: Model
}

/// The parts of a multipart response, one by one, no faster than they are consumed.
///
/// A part is delivered when the delimiter after it has arrived. Memory is one part and one chunk. The transfer ends
/// with ``close()``, when the stream and its iterators are released, or when the reading task is cancelled; there is
/// one reader at a time.
public struct PartStream<Model: Sendable>: AsyncSequence, Sendable {
    /// Reads the parts in order.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: PartStream

        /// Waits for the next part.
        ///
        /// - Throws: ``/CoreNetKit/NetworkError``: `connectionLost` when the last delimiter is missing,
        ///   `decodingFailed` for content that does not match the model, `responseTooLarge` beyond the limit;
        ///   `CancellationError`.
        public mutating func next() async throws -> Part<Model>? { try await stream.next() }
    }

    private struct State: Sendable {
        var content: StreamedResponse?
        var parser: PartParser
        var headers: Headers = [:]
        var bytes = Data()
        var index = 0
    }

    private static var node: NodeID { "PartsNode" }

    private let state: Locked<State>
    private let response: FailedResponse
    private let limit: Int
    private let clock: CallClock
    private let read: @Sendable (Data) throws -> Model

    init(
        _ response: StreamedResponse,
        limit: Int,
        on clock: CallClock,
        read: @escaping @Sendable (Data) throws -> Model
    ) async throws {
        let parser: PartParser
        do throws(StreamError) { parser = try PartParser(mediaType: response.failed.headers["Content-Type"]) } catch {
            throw NetworkError.stream(error, node: Self.node, response: try await response.failedWithContent())
        }
        state = Locked(State(content: response, parser: parser))
        self.response = response.failed
        (self.limit, self.clock, self.read) = (limit, clock, read)
    }

    /// Ends the transfer, even if other code still holds the stream; a waiting reader gets the end.
    public func close() { state.withLock { $0.content.take() }?.close() }

    /// Starts or continues reading.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    private func next() async throws -> Part<Model>? {
        while true {
            let part = try parsed()
            // After the last delimiter there is nothing for a reader.
            state.withLock { $0.parser.isOver ? $0.content.take() : nil }?.finish(on: clock)
            if let (headers, bytes, index) = part {
                do {
                    return Part(headers: headers, model: try read(bytes))
                } catch {
                    state.withLock { $0.content = nil }
                    let (place, node) = ("part \(index)", Self.node)
                    throw NetworkError.piece(error, as: Model.self, place: place, node: node, response: response)
                }
            }
            guard let stream = state.withLock(\.content?.stream) else { return nil }
            var chunks = stream.makeAsyncIterator()
            do {
                if let chunk = try await chunks.next() {
                    state.withLock { $0.parser.feed(chunk) }
                    continue
                }
            } catch {
                throw NetworkError.wrapping(error, node: Self.node) ?? error
            }
            try step { state throws(StreamError) in
                // Closed in the meantime: nothing is missing.
                if state.content.take() != nil { try state.parser.finish() }
            }
            return nil
        }
    }

    private func parsed() throws -> (Headers, Data, Int)? {
        try step { state throws(StreamError) in
            guard state.content != nil else { return nil }
            while let token = try state.parser.next() {
                switch token {
                case .head(let headers): (state.headers, state.bytes) = (headers, Data())
                case .content(let bytes):
                    guard state.bytes.count + bytes.count <= limit else {
                        let message = "a part is larger than \(limit) bytes"
                        throw StreamError(.elementTooLarge, message, index: state.index)
                    }
                    state.bytes.append(bytes)
                case .end:
                    defer { (state.bytes, state.index) = (Data(), state.index + 1) }
                    return (state.headers, state.bytes, state.index)
                }
            }
            return nil
        }
    }

    private func step<Value>(_ body: (inout State) throws(StreamError) -> Value) throws -> Value {
        do throws(StreamError) {
            return try state.withLock(body)
        } catch {
            state.withLock { $0.content = nil }
            throw NetworkError.stream(error, node: Self.node, response: response)
        }
    }
}

extension UrlChainsBuilder {
    /// Builds a chain that returns the parts of a `multipart/mixed` response; without `sending` it takes no input.
    public func parts<Input, Model>(
        _ options: ElementOptions = .init(),
        sending: Sending<Input> = .nothing,
        reading: Reading<Model>
    ) -> Chain<Input, PartStream<Model>> {
        let read = reading.piece(coding)
        let clock = configuration.parts.clock
        let chain = with(StreamRequest(idle: options.idle))
            .build(sending: sending, reading: StreamedResponse.reading("multipart/mixed, application/json;q=0.1"))
        return chain.map { try await PartStream($0, limit: options.limit, on: clock, read: read) }
    }
}
