import CoreNetKitEssentials

extension JsonDraft {
    @inline(__always)
    func appendByte(_ byte: UInt8) {
        reserve(1)
        text[textCount] = byte
        textCount += 1
    }

    func append(_ value: StaticString) {
        reserve(value.utf8CodeUnitCount)
        (text + textCount).update(from: value.utf8Start, count: value.utf8CodeUnitCount)
        textCount += value.utf8CodeUnitCount
    }

    func append(_ value: String) {
        var value = value
        value.withUTF8 { bytes in append(bytes) }
    }

    func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        (text + textCount).update(from: start, count: bytes.count)
        textCount += bytes.count
    }

    func append(_ value: Bool) {
        if value { append("true" as StaticString) } else { append("false" as StaticString) }
    }

    func append<Integer: FixedWidthInteger>(_ value: Integer) {
        guard let small = Int64(exactly: value) else { return append(value.description) }
        reserve(24)
        var magnitude = small.magnitude
        if small < 0 { appendByte(UInt8(ascii: "-")) }
        var size = 1
        var limit: UInt64 = 10
        while size < 19, magnitude >= limit {
            size += 1
            limit &*= 10
        }
        var place = textCount + size
        textCount = place
        repeat {
            let (rest, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
            place -= 1
            text[place] = UInt8(truncatingIfNeeded: digit) | 0x30
            magnitude = rest
        } while magnitude > 0
    }

    /// The shortest text that gives the same number; `1.0` becomes `1`.
    func append(number: String) {
        append(number)
        if textCount >= 2, text[textCount - 1] == UInt8(ascii: "0"), text[textCount - 2] == UInt8(ascii: ".") {
            textCount -= 2
        }
    }

    /// Adds a quoted text with its special characters escaped; returns whether any was escaped or is not ASCII.
    @inline(__always)
    func appendQuoted(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { bytes in appendQuoted(bytes) }
    }

    private func appendQuoted(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Eight bytes are read together, possibly beyond the text.
        reserve(bytes.count + 10)
        text[textCount] = UInt8(ascii: "\"")
        let start = textCount + 1
        if let source = bytes.baseAddress { (text + start).update(from: source, count: bytes.count) }
        textCount = start + bytes.count
        text[textCount] = UInt8(ascii: "\"")
        var next = start
        var isWide = false
        let high: UInt64 = 0x8080_8080_8080_8080
        while next < textCount {
            let word = UInt64(littleEndian: UnsafeRawPointer(text + next).loadUnaligned(as: UInt64.self))
            let marks = JsonEscape.marks(word)
            if marks != 0, next + marks.trailingZeroBitCount >> 3 < textCount {
                // The lowest marked byte is marked correctly; those above may not be.
                escape(bytes, from: next + marks.trailingZeroBitCount >> 3 - start, start: start)
                return true
            }
            if word & high != 0 { isWide = true }
            next += 8
        }
        textCount += 1
        return isWide
    }

    @inline(never)
    private func escape(_ bytes: UnsafeBufferPointer<UInt8>, from place: Int, start: Int) {
        textCount = start + place
        reserve((bytes.count - place) * 6 + 2)
        textCount += JsonEscape.write(UnsafeBufferPointer(rebasing: bytes[place...]), to: text + textCount)
        appendByte(UInt8(ascii: "\""))
    }

    func name(of index: UInt32) -> String {
        let node = nodes[Int(index)]
        // The name without its quotes; quotes and an end make it a JSON text of its own.
        let quoted = UnsafeBufferPointer(start: text + Int(node.start), count: Int(node.name) - 1)
        if let document = try? JsonDocument(quoted) { return document.string(at: 0) }
        return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
    }
}

/// The characters that a string cannot contain unescaped: quotes, backslashes, control characters.
enum JsonEscape {
    /// Marks the high bit of bytes that must be escaped; the lowest marked one is marked correctly.
    @inline(__always)
    static func marks(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        return ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word)
            & 0x8080_8080_8080_8080
    }

    /// The number of bytes before the first backslash, of eight in memory order.
    @inline(__always)
    static func plainBytes(_ word: UInt64) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let backslash = UInt64(littleEndian: word) ^ (ones &* 0x5C)
        return ((backslash &- ones) & ~backslash & 0x8080_8080_8080_8080).trailingZeroBitCount >> 3
    }

    static func isNeeded(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Writes a text, of which each byte takes up to six bytes, and returns the number of bytes written.
    static func write(_ source: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) -> Int {
        var size = 0
        func add(_ byte: UInt8) {
            target[size] = byte
            size += 1
        }
        for byte in source {
            let short: UInt8? =
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
                case 0x08: UInt8(ascii: "b")
                case 0x09: UInt8(ascii: "t")
                case 0x0A: UInt8(ascii: "n")
                case 0x0C: UInt8(ascii: "f")
                case 0x0D: UInt8(ascii: "r")
                default: nil
                }
            if let short {
                add(UInt8(ascii: "\\"))
                add(short)
            } else if byte < 0x20 {
                for unit in [UInt8(ascii: "\\"), UInt8(ascii: "u"), 0x30, 0x30, byte >> 4 | 0x30] { add(unit) }
                let digit = byte & 15
                add(digit < 10 ? digit | 0x30 : digit - 10 + UInt8(ascii: "a"))
            } else {
                add(byte)
            }
        }
        return size
    }
}
