import CoreNetKitSystem

/// Reads bytes in place.
package enum ASCII {
    /// Whether the byte is a space or a tab: the white space of fields (RFC 9110, 5.6.3).
    @inlinable
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether the byte may occur in a token (RFC 9110, 5.6.2).
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        // One bit each for !#$%&'*+-. and digits, and for letters and ^_`|~.
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        return byte < 64 ? (low >> UInt64(byte)) & 1 != 0 : byte < 128 && (high >> UInt64(byte & 63)) & 1 != 0
    }

    /// Where the token at the start of the range ends; eight bytes at a time while they are letters and hyphens.
    static func tokenEnd(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index + 8 <= range.upperBound {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // The high bit of each byte that is a letter or a hyphen; unset for bytes beyond ASCII.
            let lower = (word | 0x2020_2020_2020_2020) & 0x7F7F_7F7F_7F7F_7F7F
            let letters = (lower &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(lower &+ 0x0505_0505_0505_0505)
            let others = word ^ 0x2D2D_2D2D_2D2D_2D2D
            let hyphens = ~(((others & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F) | others)
            let wrong = ~((letters & ~word) | hyphens) & 0x8080_8080_8080_8080
            if wrong == 0 {
                index += 8
                continue
            }
            index += wrong.trailingZeroBitCount >> 3
            break
        }
        while index < range.upperBound, isTokenByte(bytes[index]) { index += 1 }
        return index
    }

    /// Whether the byte may occur in a field's value (RFC 9110, 5.5): visible, blank, or beyond ASCII.
    package static func isValueByte(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }

    /// Whether no byte is a space, a control or DEL; eight at a time.
    package static func areVisible(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if index + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                // The high bit of each byte that is below 0x21, or 0x7F, or beyond ASCII.
                let found = (word &- 0x2121_2121_2121_2121) | (word &+ 0x0101_0101_0101_0101) | word
                if found & 0x8080_8080_8080_8080 == 0 {
                    index += 8
                    continue
                }
            }
            if bytes[index] <= 0x20 || bytes[index] == 0x7F { return false }
            index += 1
        }
        return true
    }

    package static func find(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let hit = memchr(base + start, Int32(byte), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(hit) - base
    }

    /// The range without surrounding white space; a CR at the end counts as such.
    package static func trimmed(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) || bytes[end - 1] == 0x0D { end -= 1 }
        return start..<end
    }

    /// Whether there are these bytes at a position, behind which there are enough.
    static func has(_ text: StaticString, _ bytes: UnsafeRawBufferPointer, _ start: Int) -> Bool {
        for index in 0..<text.utf8CodeUnitCount where bytes[start + index] != text.utf8Start[index] { return false }
        return true
    }

    /// Whether the bytes equal a lower-case text, ignoring their case.
    package static func matches(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ text: StaticString) -> Bool {
        let count = range.count
        guard count == text.utf8CodeUnitCount else { return false }
        let start = range.lowerBound
        guard count >= 8 else {
            for index in 0..<count where lowered(bytes[start + index]) != text.utf8Start[index] { return false }
            return true
        }
        let expected = UnsafeRawPointer(text.utf8Start)
        var index = 0
        while true {
            let word = bytes.loadUnaligned(fromByteOffset: start + index, as: UInt64.self)
            if lowered(word) != expected.loadUnaligned(fromByteOffset: index, as: UInt64.self) { return false }
            if index == count - 8 { return true }
            index = min(index + 8, count - 8)
        }
    }

    /// Whether two ranges have the same bytes, ignoring their case.
    static func equal(_ bytes: UnsafeRawBufferPointer, _ first: Range<Int>, _ second: Range<Int>) -> Bool {
        first.count == second.count && zip(first, second).allSatisfy { lowered(bytes[$0]) == lowered(bytes[$1]) }
    }

    @inline(__always)
    static func lowered(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

    /// The same for eight at a time.
    @inline(__always)
    private static func lowered(_ word: UInt64) -> UInt64 {
        let low = word & 0x7F7F_7F7F_7F7F_7F7F
        // The high bit of each byte from A to Z.
        let capitals = (low &+ 0x3F3F_3F3F_3F3F_3F3F) & ~(low &+ 0x2525_2525_2525_2525) & ~word & 0x8080_8080_8080_8080
        return word | capitals >> 2
    }

    /// Reads a number of digits only; `nil` if there is none, any other byte, or more than an `Int64` can hold.
    package static func number(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, radix: Int64 = 10) -> Int64? {
        guard !range.isEmpty else { return nil }
        var value: Int64 = 0
        for index in range {
            guard let digit = digit(bytes[index]), digit < radix else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: radix)
            guard !overflow, product <= .max - digit else { return nil }
            value = product + digit
        }
        return value
    }

    private static func digit(_ byte: UInt8) -> Int64? {
        switch byte {
        case 0x30...0x39: Int64(byte) - 0x30
        case 0x41...0x46: Int64(byte) - 0x37
        case 0x61...0x66: Int64(byte) - 0x57
        default: nil
        }
    }

    /// Bytes as text: UTF-8 if they are valid, else Latin-1.
    package static func text(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        let part = UnsafeRawBufferPointer(rebasing: bytes[range])
        // Nearly all fields are ASCII; validating would look up generic types at run time.
        if part.allSatisfy({ $0 < 0x80 }) { return String(decoding: part, as: UTF8.self) }
        if let text = String(validating: part, as: UTF8.self) { return text }
        var text = ""
        for byte in part { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }
}
