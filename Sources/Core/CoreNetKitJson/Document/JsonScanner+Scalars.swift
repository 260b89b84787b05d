import CoreNetKitSystem

// Numbers are checked and left as written.
extension JsonScanner {
    @inline(__always)
    mutating func number() throws(JsonError) {
        let start = next
        if bytes[start] == UInt8(ascii: "-") { next = start &+ 1 }
        let first = next
        try someDigits()
        guard next == first &+ 1 || bytes[first] != UInt8(ascii: "0") else {
            next = first + 1
            throw expected("a number without leading zeros")
        }
        let byte = bytes[next]
        let isWhole = byte != UInt8(ascii: ".") && byte | 0x20 != UInt8(ascii: "e")
        if !isWhole { try fraction() }
        add(JsonToken(.number, isWhole ? [] : .fractional, start: start, size: next &- start))
    }

    @inline(never)
    private mutating func fraction() throws(JsonError) {
        if take(UInt8(ascii: ".")) { try someDigits() }
        if bytes[next] | 0x20 == UInt8(ascii: "e") {
            next += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try someDigits()
        }
    }

    @inline(__always)
    private mutating func someDigits() throws(JsonError) {
        let start = next
        var end = start
        while bytes[end] &- UInt8(ascii: "0") < 10 { end &+= 1 }
        next = end
        guard end > start else { throw expected("a digit") }
    }
}

// Strings are checked and left as written.
extension JsonScanner {
    /// Reads a string or a name, from its first quote to its last.
    @inline(__always)
    mutating func string() throws(JsonError) -> JsonToken.Traits {
        let start = next &+ 1
        var traits: JsonToken.Traits = []
        next = start
        while true {
            skipPlainText()
            if bytes[next] == UInt8(ascii: "\"") { break }
            traits.formUnion(try specialText())
        }
        add(JsonToken(.string, traits, start: start, size: next &- start))
        next &+= 1
        return traits
    }

    /// Reads the part of a string that needs more than a plain byte: escapes, non-ASCII characters and errors.
    @inline(never)
    private mutating func specialText() throws(JsonError) -> JsonToken.Traits {
        switch bytes[next] {
        case UInt8(ascii: "\\"):
            // By far the most frequent escape: encoders of some platforms write it before each slash.
            if bytes[next + 1] == UInt8(ascii: "/") { next += 2 } else { try escape() }
            return .escaped
        case 0x80...0xFF:
            try wideText()
            return .wide
        default:
            throw next < count ? expected("an escape for a control character") : expected("'\"'")
        }
    }

    /// Skips to the next byte that is a quote, a backslash, a control character or not ASCII, eight bytes at a time.
    @inline(__always)
    private mutating func skipPlainText() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var end = next
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(bytes + end).loadUnaligned(as: UInt64.self))
            // The lowest marked byte is marked correctly; a borrow only goes upwards, and what it does to a non-ASCII
            // byte does not matter.
            let quote = (word ^ (ones &* 0x22)) &- ones
            let backslash = (word ^ (ones &* 0x5C)) &- ones
            let marks = (quote | backslash | (word &- ones &* 0x20) | word) & highs
            if marks != 0 {
                next = end &+ marks.trailingZeroBitCount >> 3
                return
            }
            end &+= 8
        }
    }

    private mutating func wideText() throws(JsonError) {
        while bytes[next] >= 0x80 {
            let length = Self.length(ofCharacterAt: bytes + next)
            guard length > 0 else {
                throw JsonError(.syntax, at: position(next), "expected UTF-8, found byte \(hex(bytes[next]))")
            }
            next &+= length
        }
    }

    /// The length of a UTF-8 sequence of two to four bytes; 0 for anything else.
    @inline(__always)
    private static func length(ofCharacterAt bytes: UnsafeMutablePointer<UInt8>) -> Int {
        func follows(_ index: Int) -> Bool { bytes[index] & 0xC0 == 0x80 }
        switch bytes[0] {
        case 0xC2...0xDF: return follows(1) ? 2 : 0
        case 0xE0: return 0xA0...0xBF ~= bytes[1] && follows(2) ? 3 : 0
        case 0xED: return 0x80...0x9F ~= bytes[1] && follows(2) ? 3 : 0
        case 0xE1...0xEF: return follows(1) && follows(2) ? 3 : 0
        case 0xF0: return 0x90...0xBF ~= bytes[1] && follows(2) && follows(3) ? 4 : 0
        case 0xF1...0xF3: return follows(1) && follows(2) && follows(3) ? 4 : 0
        case 0xF4: return 0x80...0x8F ~= bytes[1] && follows(2) && follows(3) ? 4 : 0
        default: return 0
        }
    }

    private mutating func escape() throws(JsonError) {
        let start = next
        next += 1
        switch bytes[next] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            next += 1
        case UInt8(ascii: "u"):
            let first = try fourHexDigits()
            guard 0xD800...0xDFFF ~= first else { return }
            guard first < 0xDC00, take(UInt8(ascii: "\\")), bytes[next] == UInt8(ascii: "u"),
                0xDC00...0xDFFF ~= (try fourHexDigits())
            else {
                throw JsonError(.syntax, at: position(start), "expected a whole surrogate pair, found half of one")
            }
        default: throw expected("an escape")
        }
    }

    private mutating func fourHexDigits() throws(JsonError) -> UInt32 {
        next += 1
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hex.value(of: bytes[next]) else { throw expected("a hexadecimal digit") }
            value = value << 4 | UInt32(digit)
            next += 1
        }
        return value
    }
}
