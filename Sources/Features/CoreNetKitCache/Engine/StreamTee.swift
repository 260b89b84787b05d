import CoreNetKitSystem

package import CoreNetKitHTTP

import CoreNetKitEssentials

/// Passes a stream's chunks to its reader and to a writer; stored only after the clean end of the complete content.
///
/// The reader sets the pace. If it stops early, the transfer ends, and nothing is stored.
package struct StreamTee: Sendable {
    /// The stream for the reader.
    package let stream: ResponseStream

    /// Joins a stream and a writer.
    ///
    /// - Parameters:
    ///   - source: The stream.
    ///   - length: The declared number of bytes.
    ///   - writer: The writer.
    ///   - stored: Called when the content was stored.
    package init(
        _ source: ResponseStream,
        length: Int64?,
        _ writer: any CacheWriter,
        stored: @escaping @Sendable () -> Void
    ) {
        let splitter = ChunkSplitter(source: source, writer: writer, length: length, stored: stored)
        stream = ResponseStream(
            next: { try await splitter.next() },
            cancel: { splitter.cancel() },
            ending: { splitter.source?.ending }
        )
    }
}

/// Splits the chunks: each is passed to the writer, as long as there is one, and then to the reader.
private struct ChunkSplitter: Sendable {
    private struct State: Sendable {
        var writer: (any CacheWriter)?
        var count: Int64 = 0
    }

    private let state: Locked<State>
    private let held: Locked<ResponseStream?>
    private let length: Int64?
    private let stored: @Sendable () -> Void

    init(
        source: ResponseStream,
        writer: any CacheWriter,
        length: Int64?,
        stored: @escaping @Sendable () -> Void
    ) {
        (state, held) = (Locked(State(writer: writer)), Locked(source))
        (self.length, self.stored) = (length, stored)
    }

    /// The stream; `nil` once its reader has stopped.
    var source: ResponseStream? { held.withLock { $0 } }

    func next() async throws -> Data? {
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

    func cancel() {
        held.withLock { $0.take() }?.close()
        guard let writer = takeWriter() else { return }
        Task { await writer.discard() }
    }

    private func takeWriter() -> (any CacheWriter)? {
        state.withLock { state in
            defer { state.writer = nil }
            return state.writer
        }
    }
}
