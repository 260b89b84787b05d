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

    /// Writes a text, of which each byte takes up to six bytes.
    ///
    /// - Returns: The number of bytes written.
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
