package import CoreNetKitEssentials

/// JSON Lines, NDJSON: a value per line, which ends with a line feed, optional after the last one; empty lines are skipped.
package struct JsonLineParser: JsonPieceParser {
    private let limit: Int
    private var input = ChunkInput()
    /// The start of an incomplete line.
    private var line = Data()
    private var lineOffset: Int64 = 0
    private var count = 0

    package init(limit: Int = 8 << 20) { self.limit = limit }

    package mutating func feed(_ bytes: Data) { input.feed(bytes) }

    package mutating func next() throws(StreamError) -> JsonPiece? {
        while input.position < input.bytes.count {
            let start = input.position
            // One access to the chunk for both: each costs as much as a short line.
            let (end, text) = input.bytes.withUnsafeBytes { bytes in
                let end = ByteSearch.first(0x0A, in: bytes, from: start)
                return (end, ByteSearch.trimmed(start..<end, of: bytes))
            }
            let length = line.count + end - start
            guard length <= limit else { throw tooLong }
            if line.isEmpty { lineOffset = input.offset }
            input.advance(end - start)
            guard end < input.bytes.count else {
                line.append(input.part(start..<end))
                return nil
            }
            input.advance(1)
            if !line.isEmpty {
                line.append(input.part(start..<end))
                defer { line = Data() }
                if let piece = piece(line, isLast: false) { return piece }
            } else if !text.isEmpty {
                return piece(of: input.part(text), at: text.lowerBound - start, isLast: false)
            }
        }
        return nil
    }

    package mutating func finish() throws(StreamError) -> JsonPiece? {
        guard !line.isEmpty else { return nil }
        defer { line = Data() }
        return piece(line, isLast: true)
    }

    private var tooLong: StreamError {
        StreamError(.elementTooLarge, "a line is longer than \(limit) bytes", index: count, offset: input.offset)
    }

    private mutating func piece(_ bytes: Data, isLast: Bool) -> JsonPiece? {
        let text = bytes.withUnsafeBytes { ByteSearch.trimmed(0..<$0.count, of: $0) }
        guard !text.isEmpty else { return nil }
        let start = bytes.startIndex
        return piece(
            of: text.count == bytes.count ? bytes : bytes[(start + text.lowerBound)..<(start + text.upperBound)],
            at: text.lowerBound,
            isLast: isLast
        )
    }

    private mutating func piece(of text: Data, at place: Int, isLast: Bool) -> JsonPiece {
        defer { count += 1 }
        return JsonPiece(bytes: text, index: count, offset: lineOffset + Int64(place), isLast: isLast)
    }
}
