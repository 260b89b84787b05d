import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Passes a stream's chunks to its reader, which sets the pace, and to a writer, which stores only complete content.
struct StreamTee: Sendable {
    private struct State: Sendable {
        /// `nil` once the reader has stopped.
        var source: ResponseStream?
        var writer: (any CacheWriter)?
        var count: Int64 = 0
    }

    private let state: Locked<State>
    private let length: Int64?
    private let stored: @Sendable () -> Void

    init(_ source: ResponseStream, length: Int64?, _ writer: any CacheWriter, stored: @escaping @Sendable () -> Void) {
        state = Locked(State(source: source, writer: writer))
        (self.length, self.stored) = (length, stored)
    }

    var stream: ResponseStream {
        ResponseStream(next: { try await next() }, cancel: { cancel() }, ending: { source?.ending })
    }

    private var source: ResponseStream? { state.withLock { $0.source } }

    private func next() async throws -> Data? {
        guard let source else { throw CancellationError() }
        var iterator = source.makeAsyncIterator()
        let chunk: Data?
        do {
            chunk = try await iterator.next()
        } catch {
            await takeWriter()?.discard()
            throw error
        }
        guard let chunk else {
            await end()
            return nil
        }
        let writer = state.withLock { state in
            state.count += Int64(chunk.count)
            return state.writer
        }
        if let writer, await !writer.write(chunk) { await takeWriter()?.discard() }
        return chunk
    }

    /// The clean end: the stored content is complete.
    private func end() async {
        let count = state.withLock { $0.count }
        guard let writer = takeWriter() else { return }
        guard length ?? count == count else { return await writer.discard() }
        if await writer.commit() == .written { stored() }
    }

    private func cancel() {
        state.withLock { $0.source.take() }?.close()
        guard let writer = takeWriter() else { return }
        Task { await writer.discard() }
    }

    private func takeWriter() -> (any CacheWriter)? { state.withLock { $0.writer.take() } }
}
