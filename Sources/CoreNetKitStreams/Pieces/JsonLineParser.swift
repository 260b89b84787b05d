package import CoreNetKitEssentials

/// One JSON value a line: JSON Lines, NDJSON.
///
/// A line ends with a line feed, the last one may do without; empty lines are skipped.
package struct JsonLineParser: JsonPieceParser {
    private let limit: Int
    private var chunk = Data()
    private var position = 0
    /// The start of a line whose end has not come.
    private var line = Data()
    private var lineOffset: Int64 = 0
    private var offset: Int64 = 0
    private var count = 0

    /// - Parameter limit: The most bytes of one line.
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
            let end = chunk.withUnsafeBytes { ByteSearch.first(0x0A, in: $0, from: start) }
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
            if let piece = piece(endingWith: start..<end) { return piece }
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
        guard !line.isEmpty else { return piece(part(range), isLast: false) }
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
        defer { count += 1 }
        let start = bytes.startIndex
        return JsonPiece(
            text.count == bytes.count ? bytes : bytes[(start + text.lowerBound)..<(start + text.upperBound)],
            index: count,
            offset: lineOffset + Int64(text.lowerBound),
            isLast: isLast
        )
    }
}
