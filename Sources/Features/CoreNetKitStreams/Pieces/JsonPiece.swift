package import CoreNetKitEssentials
import CoreNetKitSystem

package struct JsonPiece: Sendable {
    /// The text, without white space around it; a slice of the chunk if possible.
    package let bytes: Data
    /// Its index, from 0.
    package let index: Int
    /// The offset of its first byte in the content.
    package let offset: Int64
    /// Why it cannot be complete, if the format shows that.
    package var fault: StreamError?
    /// Whether the content ended with the piece: if it is not JSON, it was truncated.
    package var isLast = false
}

/// The chunk that a parser reads, and how far it has read.
struct ChunkInput: Sendable {
    private(set) var bytes = Data()
    private(set) var position = 0
    /// How many bytes of the content were read.
    private(set) var offset: Int64 = 0

    /// Adds the next bytes; those that were read are dropped.
    mutating func feed(_ more: Data) {
        bytes = position < bytes.count ? Data(bytes.dropFirst(position)) + more : more
        position = 0
    }

    mutating func advance(_ count: Int) {
        position += count
        offset += Int64(count)
    }

    func part(_ range: Range<Int>) -> Data {
        bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)]
    }
}

/// Finds JSON values in chunks: feed one, take pieces until there is none, feed the next; at the end, take the last piece.
package protocol JsonPieceParser: Sendable {
    mutating func feed(_ chunk: Data)

    /// Returns the next complete piece; `nil` when more bytes are needed.
    mutating func next() throws(StreamError) -> JsonPiece?

    /// Ends the input, and returns the last piece if there is one.
    mutating func finish() throws(StreamError) -> JsonPiece?

    /// Whether no piece can follow because the end that the format defines has been read.
    var isOver: Bool { get }

    /// The text around the pieces, once the content has ended.
    var rest: Data? { get }
}

extension JsonPieceParser {
    package var isOver: Bool { false }
    package var rest: Data? { nil }

    /// Adds the next bytes; returns whether no piece ends in them.
    mutating func hasNoPiece(in chunk: Data) -> Bool {
        feed(chunk)
        do throws(StreamError) { return try next() == nil } catch { return false }
    }
}

/// The nesting of a position in a JSON text: finds the end of a value; the scanner decides whether that is valid JSON.
struct JsonNesting: Sendable {
    private(set) var depth = 0
    private(set) var isInString = false
    private var isEscaped = false

    /// Consumes bytes up to the first one outside every array, object and string that could end a value: a comma, white space,
    /// closing bracket or brace; returns its index, or the number of bytes.
    @inline(__always)
    mutating func pass(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var place = start
        while place < bytes.count {
            if isInString {
                place = passString(bytes, from: place)
                continue
            }
            switch bytes[place] {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return place }
                depth -= 1
            case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return place }
            default: break
            }
            place += 1
        }
        return place
    }

    @inline(__always)
    private mutating func passString(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var place = start
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
                return place
            }
        }
        return place
    }
}

/// Searches for bytes by functions of the C library, which compare many bytes at once.
enum ByteSearch {
    /// The first index of a byte from `start` on; the number of bytes if there is none.
    @inline(__always)
    static func first(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, Int32(byte), bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base
    }

    @inline(__always)
    static func equals(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        guard let base = bytes.baseAddress else { return true }
        return memcmp(base, text.utf8Start, bytes.count) == 0
    }

    /// Whether a range begins with an ASCII text of 5 to 8 bytes, compared as a word plus the rest.
    @inline(__always)
    static func begins(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard range.count >= count, let base = bytes.baseAddress else { return false }
        let (left, right) = (base + range.lowerBound, UnsafeRawPointer(text.utf8Start))
        return left.loadUnaligned(as: UInt32.self) == right.loadUnaligned(as: UInt32.self)
            && (left + count - 4).loadUnaligned(as: UInt32.self) == (right + count - 4).loadUnaligned(as: UInt32.self)
    }

    static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place + 8 <= bytes.count {
            guard bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else {
                return false
            }
            place += 8
        }
        return bytes[place...].allSatisfy { $0 < 0x80 }
    }

    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// A range without JSON white space at both ends.
    @inline(__always)
    static func trimmed(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Range<Int> {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        while lower < upper, isSpace(bytes[lower]) { lower += 1 }
        while upper > lower, isSpace(bytes[upper - 1]) { upper -= 1 }
        return lower..<upper
    }
}
