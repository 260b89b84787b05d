package import CoreNetKitEssentials

/// One JSON value per line: JSON Lines, NDJSON.
///
/// A line ends with a line feed, optional after the last one; empty lines are skipped.
package struct JsonLineParser: JsonPieceParser {
    private let limit: Int
    private var chunk = Data()
    private var position = 0
    /// The start of an incomplete line.
    private var line = Data()
    private var lineOffset: Int64 = 0
    private var offset: Int64 = 0
    private var count = 0

    /// - Parameter limit: The maximum number of bytes of one line.
    package init(limit: Int = 8 << 20) {
        self.limit = limit
    }

    package mutating func feed(_ bytes: Data) {
        chunk = position < chunk.count ? Data(chunk.dropFirst(position)) + bytes : bytes
        position = 0
    }

    package mutating func next() throws(StreamError) -> JsonPiece? {
        while position < chunk.count {
            let start = position
            // One access to the chunk for both: each costs as much as a short line.
            let (end, text) = chunk.withUnsafeBytes { bytes in
                let end = ByteSearch.first(0x0A, in: bytes, from: start)
                return (end, ByteSearch.trimmed(start..<end, of: bytes))
            }
            let length = line.count + end - start
            guard length <= limit else { throw tooLong }
            if line.isEmpty { lineOffset = offset }
            offset += Int64(end - start)
            guard end < chunk.count else {
                line.append(part(start..<end))
                position = end
                return nil
            }
            offset += 1
            position = end + 1
            if !line.isEmpty {
                if let piece = piece(endingWith: start..<end) { return piece }
            } else if !text.isEmpty {
                return piece(of: part(text), at: text.lowerBound - start, isLast: false)
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
        StreamError(.elementTooLarge, "a line is longer than \(limit) bytes", index: count, offset: offset)
    }

    private mutating func piece(endingWith range: Range<Int>) -> JsonPiece? {
        line.append(part(range))
        defer { line = Data() }
        return piece(line, isLast: false)
    }

    private func part(_ range: Range<Int>) -> Data {
        chunk[(chunk.startIndex + range.lowerBound)..<(chunk.startIndex + range.upperBound)]
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
        return JsonPiece(text, index: count, offset: lineOffset + Int64(place), isLast: isLast)
    }
}
