import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// A copy of content that passes through, for the tape.
final class CassetteCopy: Sendable {
    private let content = Locked(Data())

    var data: Data { content.withLock { $0 } }

    /// A body that is sent like the given one, and records what was sent.
    func body(_ body: RequestBody) throws -> RequestBody {
        switch body.content {
        case .empty: return body
        case .bytes(let data): content.withLock { $0 = data }
        case .file(let url): try content.withLock { $0 = try Self.content(of: url) }
        case .stream(let length, let isReplayable, let open, let trailers):
            let copy = RequestBody.stream(length: length, isReplayable: isReplayable) { [self] in
                // A new attempt is recorded from the start.
                content.withLock { $0 = Data() }
                return recording(open())
            }
            return copy.with(trailers: trailers)
        }
        return body
    }

    private func recording(_ chunks: some AsyncSequence<Data, any Error>) -> any AsyncSequence<Data, any Error> {
        chunks.map { [content] chunk in
            content.withLock { $0.append(chunk) }
            return chunk
        }
    }

    /// A stream that delivers like the given one, and reports once what was read, unless the stream broke.
    static func stream(
        _ stream: ResponseStream,
        _ ended: @escaping @Sendable (Data, Bool) throws -> Void
    ) -> ResponseStream {
        let read = Locked<Data?>(Data())
        return ResponseStream(
            next: {
                var iterator = stream.makeAsyncIterator()
                do {
                    if let chunk = try await iterator.next() {
                        read.withLock { $0?.append(chunk) }
                        return chunk
                    }
                } catch {
                    if !(error is CancellationError) { read.withLock { $0 = nil } }
                    throw error
                }
                if let content = read.withLock({ $0.take() }) { try ended(content, true) }
                return nil
            },
            cancel: {
                stream.close()
                if let content = read.withLock({ $0.take() }) { try? ended(content, false) }
            },
            ending: { stream.ending }
        )
    }

    /// The complete content of a request, as far as it can be known without sending it.
    static func collect(_ body: RequestBody) async throws -> Data {
        if let file = body.fileURL { return try content(of: file) }
        return try await body.collect(limit: .max)
    }

    private static func content(of url: URL) throws -> Data {
        do { return try Data(contentsOf: url) } catch {
            throw TransportError(.requestBodyFailed, phase: .send, message: "the file cannot be read: \(error)")
        }
    }
}
