package import CoreNetKitEssentials

/// JSON text sequences (RFC 7464): each text is between a record separator (0x1E) and a line feed, and is delivered as soon as
/// white space follows it; damage extends to the next separator and no further.
package struct JsonSequenceParser: JsonPieceParser {
    private enum State { case before, inside, after }

    private static let separator: UInt8 = 0x1E

    private let limit: Int
    private var input = ChunkInput()
    private var state = State.before
    private var nesting = JsonNesting()
    private var text = Data()
    private var textOffset: Int64 = 0
    private var fault: StreamError?
    private var count = 0
    private var isTooLong = false

    package init(limit: Int = 8 << 20) { self.limit = limit }

    package mutating func feed(_ bytes: Data) { input.feed(bytes) }

    package mutating func next() throws(StreamError) -> JsonPiece? {
        let chunk = input.bytes
        let piece = chunk.withUnsafeBytes { bytes -> JsonPiece? in
            while !isTooLong, input.position < bytes.count {
                if let piece = step(bytes) { return piece }
            }
            return nil
        }
        guard isTooLong else { return piece }
        let message = "a text is longer than \(limit) bytes"
        throw StreamError(.elementTooLarge, message, index: count, offset: textOffset)
    }

    package mutating func finish() throws(StreamError) -> JsonPiece? {
        state == .inside ? take(isLast: true) : nil
    }

    private mutating func step(_ bytes: UnsafeRawBufferPointer) -> JsonPiece? {
        let byte = bytes[input.position]
        switch state {
        case .before, .after:
            if byte == Self.separator {
                input.advance(1)
                state = .before
            } else if ByteSearch.isSpace(byte) {
                input.advance(1)
            } else {
                if state == .after { fault = damaged("there is more than one value after a record separator") }
                if state == .before, input.offset == 0 { fault = damaged("there is no record separator in front") }
                (state, textOffset, nesting) = (.inside, input.offset, JsonNesting())
            }
            return nil
        case .inside:
            let end = ByteSearch.first(Self.separator, in: bytes, from: input.position)
            let part = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            var stop = fault == nil ? nesting.pass(part, from: input.position) : end
            // The scanner rejects a misplaced comma or bracket: only white space ends a text.
            while stop < end, !ByteSearch.isSpace(bytes[stop]) { stop = nesting.pass(part, from: stop + 1) }
            isTooLong = text.count + stop - input.position > limit
            if isTooLong { return nil }
            text.append(contentsOf: bytes[input.position..<stop])
            input.advance(stop - input.position)
            return stop < bytes.count ? take(isLast: false) : nil
        }
    }

    private mutating func take(isLast: Bool) -> JsonPiece {
        let next = input.bytes.dropFirst(input.position).first
        let endsWithSpace = next != nil && next != Self.separator
        // Objects, arrays and strings close themselves.
        if !endsWithSpace, let first = text.first, !"{[\"".utf8.contains(first), fault == nil {
            fault = damaged("a number or word is cut: no white space follows it", .cut)
        }
        defer { (state, text, fault, count) = (.after, Data(), nil, count + 1) }
        while let last = text.last, ByteSearch.isSpace(last) { text.removeLast() }
        return JsonPiece(bytes: text, index: count, offset: textOffset, fault: fault, isLast: isLast)
    }

    private func damaged(_ message: String, _ code: StreamError.Code = .malformed) -> StreamError {
        StreamError(code, message, index: count, offset: input.offset)
    }
}
