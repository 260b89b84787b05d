import CoreNetKitSystem

package import CoreNetKitHTTP

import CoreNetKitEssentials

/// Gives a stream's chunks to its reader and to a writer; stored only after the clean end of the whole content.
///
/// The reader's pace is the stream's. A reader that leaves early ends the transfer, and nothing is stored.
package struct StreamTee: Sendable {
    private struct State: Sendable {
        var writer: (any CacheWriter)?
        var count: Int64 = 0
    }

    /// What the reader gets.
    package let stream: ResponseStream

    /// Joins a stream and a writer.
    ///
    /// - Parameters:
    ///   - source: The stream.
    ///   - length: The number of bytes that must have come at its end.
    ///   - writer: The writer.
    ///   - stored: Called where the content was stored.
    package init(
        _ source: ResponseStream,
        length: Int64?,
        _ writer: any CacheWriter,
        stored: @escaping @Sendable () -> Void
    ) {
        let state = Locked(State(writer: writer))
        let held = Locked<ResponseStream?>(source)
        stream = ResponseStream(
            next: {
                guard let source = held.withLock({ $0 }) else { throw CancellationError() }
                var iterator = source.makeAsyncIterator()
                let chunk: Data?
                do {
                    chunk = try await iterator.next()
                } catch {
                    await Self.take(state)?.discard()
                    throw error
                }
                guard let chunk else {
                    let count = state.withLock { $0.count }
                    guard let writer = Self.take(state) else { return nil }
                    if length ?? count == count {
                        if await writer.commit() == .written { stored() }
                    } else {
                        await writer.discard()
                    }
                    return nil
                }
                let writer = state.withLock { state in
                    state.count += Int64(chunk.count)
                    return state.writer
                }
                if let writer, await !writer.write(chunk) { await Self.take(state)?.discard() }
                return chunk
            },
            cancel: {
                held.withLock { $0.take() }?.close()
                guard let writer = Self.take(state) else { return }
                Task { await writer.discard() }
            },
            ending: { held.withLock { $0 }?.ending }
        )
    }

    private static func take(_ state: Locked<State>) -> (any CacheWriter)? {
        state.withLock { state in
            defer { state.writer = nil }
            return state.writer
        }
    }
}
