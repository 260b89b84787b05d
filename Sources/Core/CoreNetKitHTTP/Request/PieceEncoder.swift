package import CoreNetKitEssentials

/// Encodes content that is sent, piece by piece.
package protocol PieceEncoder: Sendable {
    /// The coded form of a piece; without bytes that of the end.
    mutating func encode(_ piece: Data) -> Data
}

extension RequestBody {
    /// A stream in another coding: `length` coded bytes, encoded in pieces of `size` bytes; other bodies are unchanged.
    package func encoded(length: Int64, inPiecesOf size: Int, by encoder: some PieceEncoder) -> RequestBody {
        guard case .stream(_, let isReplayable, let open, let trailers) = content else { return self }
        let coded: Opener = { Self.encoded(open(), size, encoder) }
        return .init(content: .stream(length: length, isReplayable: isReplayable, open: coded, trailers: trailers))
    }

    private static func encoded(
        _ content: some AsyncSequence<Data, any Error>,
        _ size: Int,
        _ encoder: some PieceEncoder
    ) -> any AsyncSequence<Data, any Error> {
        EncodedPieces(content: content, size: size, encoder: encoder)
    }
}

private struct EncodedPieces<Content: AsyncSequence, Encoder: PieceEncoder>: AsyncSequence
where Content.Element == Data, Content.Failure == any Error {
    let content: Content
    let size: Int
    let encoder: Encoder

    func makeAsyncIterator() -> Iterator {
        Iterator(content: content.makeAsyncIterator(), size: size, encoder: encoder)
    }

    struct Iterator: AsyncIteratorProtocol {
        var content: Content.AsyncIterator
        let size: Int
        var encoder: Encoder
        var pending = Data()
        var isComplete = false
        var isEnded = false

        mutating func next() async throws -> Data? {
            if isEnded { return nil }
            while !isComplete, pending.count < size {
                if let more = try await content.next() { pending.append(more) } else { isComplete = true }
            }
            let piece = pending.prefix(size)
            pending = pending.dropFirst(piece.count)
            isEnded = piece.isEmpty
            return encoder.encode(piece)
        }
    }
}
