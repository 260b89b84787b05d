/// One field line in place (RFC 9112, 5): the positions of its name and its value.
package struct FieldLine: Sendable {
    package let name: Range<Int>
    /// Without surrounding white space.
    package let value: Range<Int>

    /// Checks each byte of a line, which is given without its end.
    package init(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) throws(WireFault) {
        let colon = ASCII.tokenEnd(bytes, line)
        guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == UInt8(ascii: ":") else {
            throw .fieldName
        }
        try Self.checkValue(bytes, colon + 1..<line.upperBound)
        name = line.lowerBound..<colon
        value = ASCII.trimmed(bytes, colon + 1..<line.upperBound)
    }

    private init(name: Range<Int>, value: Range<Int>) { (self.name, self.value) = (name, value) }

    /// Reads a complete line with nothing unusual, and the next start; `nil` for others.
    static func plain(_ bytes: UnsafeRawBufferPointer, from start: Int) -> (FieldLine, next: Int)? {
        let end = bytes.count
        let colon = ASCII.tokenEnd(bytes, start..<end)
        guard colon > start, colon < end, bytes[colon] == UInt8(ascii: ":") else { return nil }
        var first = colon + 1
        if first < end, bytes[first] == 0x20 { first += 1 }
        var index = first
        while index + 8 <= end {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // The high bit of the first byte below 0x20; bits above it may be wrong, bits below it are not.
            let controls = (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
            let others = (word | (word &+ 0x0101_0101_0101_0101)) & 0x8080_8080_8080_8080
            if controls | others == 0 {
                index += 8
                continue
            }
            let found = controls.trailingZeroBitCount
            // Bytes beyond ASCII, and DEL, need a closer look.
            guard others == 0 || others.trailingZeroBitCount > found else { return nil }
            index += found >> 3
            break
        }
        while index < end, bytes[index] >= 0x20, bytes[index] < 0x7F { index += 1 }
        guard index + 1 < end, bytes[index] == 0x0D, bytes[index + 1] == 0x0A else { return nil }
        let isTrimmed = index == first || (bytes[first] != 0x20 && bytes[index - 1] != 0x20)
        let value = isTrimmed ? first..<index : ASCII.trimmed(bytes, first..<index)
        return (FieldLine(name: start..<colon, value: value), index + 2)
    }

    /// The line that starts at a position, and where the next one does; `nil` at an empty line, or one that is not valid.
    static func line(_ bytes: UnsafeRawBufferPointer, from start: Int) -> (FieldLine, next: Int)? {
        if let plain = plain(bytes, from: start) { return plain }
        guard let end = ASCII.find(0x0A, in: bytes, from: start), end > start, bytes[end - 1] == 0x0D,
            let line = try? FieldLine(bytes, start..<end - 1)
        else { return nil }
        return (line, end + 1)
    }

    /// A line that was made of a name and a value that had been checked.
    static func checked(_ bytes: UnsafeRawBufferPointer, from start: Int) -> (FieldLine, next: Int)? {
        guard let colon = ASCII.find(0x3A, in: bytes, from: start),
            let end = ASCII.find(0x0A, in: bytes, from: colon), end > colon + 1
        else { return nil }
        return (FieldLine(name: start..<colon, value: ASCII.trimmed(bytes, colon + 1..<end - 1)), end + 1)
    }

    /// Whether no byte is below 0x20, or 0x7F, or beyond ASCII.
    @inline(__always)
    private static func isPlain(_ word: UInt64) -> Bool {
        let found = (word &- 0x2020_2020_2020_2020) | (word &+ 0x0101_0101_0101_0101) | word
        return found & 0x8080_8080_8080_8080 == 0
    }

    /// Checks the bytes of a value; eight at a time, as most are neither controls nor of another character set.
    static func checkValue(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(WireFault) {
        var index = range.lowerBound
        while index < range.upperBound {
            if index + 8 <= range.upperBound {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if isPlain(word) {
                    index += 8
                    continue
                }
            } else if range.count >= 8 {
                // The last eight bytes, which may include some that were already checked.
                let word = bytes.loadUnaligned(fromByteOffset: range.upperBound - 8, as: UInt64.self)
                if isPlain(word) { return }
            }
            guard ASCII.isValueByte(bytes[index]) else { throw .fieldValue }
            index += 1
        }
    }
}

/// The elements of a list in place, without white space and empty ones (RFC 9110, 5.6.1).
struct FieldElements: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var rest: Range<Int>

    init(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) { (self.bytes, rest) = (bytes, value) }

    mutating func next() -> Range<Int>? {
        while !rest.isEmpty {
            var end = rest.lowerBound
            while end < rest.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
            let element = ASCII.trimmed(bytes, rest.lowerBound..<end)
            rest = Swift.min(end + 1, rest.upperBound)..<rest.upperBound
            if !element.isEmpty { return element }
        }
        return nil
    }
}
