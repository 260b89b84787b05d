#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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

    /// Whether the bytes are those of an ASCII text.
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

    /// Whether all bytes are ASCII, eight at a time.
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

    /// Whether the byte is JSON white space.
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// A range without JSON white space at both ends.
    @inline(__always)
    static func trimmed(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Range<Int> {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        while lower < upper, isSpace(bytes[lower]) { lower += 1 }
        while upper > lower, isSpace(bytes[upper - 1]) { upper -= 1 }
        return lower..<upper
    }
}
