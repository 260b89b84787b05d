/// Reads one JSON text as RFC 8259 defines it, no more and no less.
///
/// - A leading byte order mark is skipped. Bytes that are not UTF-8 and escapes that are half of a surrogate pair are
///   refused: nothing is replaced on the way in.
/// - Two members of one name are both kept.
/// - A number of any size is fine, its text is kept.
struct JsonScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var next = 0

    static func scan(_ bytes: UnsafeBufferPointer<UInt8>) throws(JsonError) -> Json {
        var scanner = JsonScanner(bytes: bytes)
        return try scanner.document()
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private mutating func document() throws(JsonError) -> Json {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { next = 3 }
        skipSpace()
        guard next < bytes.count else { throw JsonError(.empty, "expected a JSON value, found no bytes") }
        let value = try value(depth: 0)
        skipSpace()
        guard next == bytes.count else { throw expected("the end of the text") }
        return value
    }

    private mutating func value(depth: Int) throws(JsonError) -> Json {
        guard next < bytes.count else { throw expected("a value") }
        switch bytes[next] {
        case UInt8(ascii: "\""): return Json(.string(try string()))
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try literal("true", Json(.bool(true)))
        case UInt8(ascii: "f"): return try literal("false", Json(.bool(false)))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: throw expected("a value")
        }
    }

    private mutating func array(depth: Int) throws(JsonError) -> Json {
        try open(depth)
        var elements: [Json] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return Json(.array(elements)) }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: ",")) {
                skipSpace()
                continue
            }
            guard take(UInt8(ascii: "]")) else { throw expected("',' or ']'") }
            return Json(.array(elements))
        }
    }

    private mutating func object(depth: Int) throws(JsonError) -> Json {
        try open(depth)
        var members: [JsonObject.Member] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return Json(.object(JsonObject(members))) }
        while true {
            guard next < bytes.count, bytes[next] == UInt8(ascii: "\"") else { throw expected("a name in quotes") }
            let key = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw expected("':'") }
            skipSpace()
            members.append((key, try value(depth: depth + 1)))
            skipSpace()
            if take(UInt8(ascii: ",")) {
                skipSpace()
                continue
            }
            guard take(UInt8(ascii: "}")) else { throw expected("',' or '}'") }
            return Json(.object(JsonObject(members)))
        }
    }

    private mutating func open(_ depth: Int) throws(JsonError) {
        guard depth < Json.depthLimit else {
            throw JsonError(.tooDeep, at: position(next), "nested deeper than \(Json.depthLimit) levels")
        }
        next += 1
    }

    private mutating func literal(_ text: StaticString, _ value: Json) throws(JsonError) -> Json {
        for index in 0..<text.utf8CodeUnitCount {
            guard next < bytes.count, bytes[next] == text.utf8Start[index] else { throw expected("'\(text)'") }
            next += 1
        }
        return value
    }

    private mutating func skipSpace() {
        while next < bytes.count {
            switch bytes[next] {
            case 0x20, 0x0A, 0x0D, 0x09: next += 1
            default: return
            }
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next < bytes.count, bytes[next] == byte else { return false }
        next += 1
        return true
    }
}

// MARK: - Numbers

extension JsonScanner {
    private mutating func number() throws(JsonError) -> Json {
        let start = next
        let negative = take(UInt8(ascii: "-"))
        let first = next
        // Overflow is impossible below 19 digits; beyond that the text decides.
        var magnitude: Int64 = 0
        while let digit = digit() { magnitude = magnitude &* 10 &+ Int64(digit) }
        guard next > first else { throw expected("a digit") }
        guard next == first + 1 || bytes[first] != UInt8(ascii: "0") else {
            next = first + 1
            throw expected("a number without leading zeros")
        }
        let digits = next - first
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try someDigits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try someDigits()
        }
        if isInteger, digits < 19, magnitude != 0 || !negative {
            return Json(.integer(negative ? -magnitude : magnitude))
        }
        let text = String(decoding: bytes[start..<next], as: UTF8.self)
        if isInteger, magnitude != 0 || !negative, let integer = Int64(text) { return Json(.integer(integer)) }
        return Json(.number(text))
    }

    private mutating func someDigits() throws(JsonError) {
        guard digit() != nil else { throw expected("a digit") }
        while digit() != nil {}
    }

    private mutating func digit() -> UInt8? {
        guard next < bytes.count else { return nil }
        let value = bytes[next] &- UInt8(ascii: "0")
        guard value < 10 else { return nil }
        next += 1
        return value
    }
}

// MARK: - Strings

extension JsonScanner {
    private mutating func string() throws(JsonError) -> String {
        let start = next
        next += 1
        var seen: UInt8 = 0
        while next < bytes.count {
            let byte = bytes[next]
            switch byte {
            case UInt8(ascii: "\""):
                let range = start + 1..<next
                // ASCII needs no check, and most text is ASCII.
                let text = seen < 0x80 ? ascii(range) : try text(range)
                next += 1
                return text
            case UInt8(ascii: "\\"): return try escapedString(from: start + 1)
            case 0..<0x20: throw expected("an escape for a control character")
            default:
                seen |= byte
                next += 1
            }
        }
        throw expected("'\"'")
    }

    private func ascii(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// The rest of a string from its first escape on.
    private mutating func escapedString(from start: Int) throws(JsonError) -> String {
        var text = try text(start..<next)
        while next < bytes.count {
            switch bytes[next] {
            case UInt8(ascii: "\""):
                next += 1
                return text
            case UInt8(ascii: "\\"): text.unicodeScalars.append(try escape())
            case 0..<0x20: throw expected("an escape for a control character")
            default:
                let start = next
                while next < bytes.count, bytes[next] >= 0x20, bytes[next] != UInt8(ascii: "\""),
                    bytes[next] != UInt8(ascii: "\\")
                { next += 1 }
                text += try self.text(start..<next)
            }
        }
        throw expected("'\"'")
    }

    private func text(_ range: Range<Int>) throws(JsonError) -> String {
        if let text = String(validating: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self) { return text }
        var fault = range.lowerBound
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes[range].makeIterator()
        while case .valid(let scalar) = parser.parseScalar(from: &rest) { fault += scalar.count }
        throw JsonError(.syntax, at: position(fault), "expected UTF-8, found byte 0x\(hex(bytes[fault]))")
    }

    private mutating func escape() throws(JsonError) -> Unicode.Scalar {
        let start = next
        next += 1
        guard next < bytes.count else { throw expected("an escape") }
        let code = bytes[next]
        switch code {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): break
        case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): break
        case UInt8(ascii: "u"): return try unicodeEscape(from: start)
        default: throw expected("an escape")
        }
        next += 1
        return switch code {
        case UInt8(ascii: "b"): "\u{08}"
        case UInt8(ascii: "f"): "\u{0C}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        default: Unicode.Scalar(code)
        }
    }

    private mutating func unicodeEscape(from start: Int) throws(JsonError) -> Unicode.Scalar {
        let first = try fourHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, take(UInt8(ascii: "\\")), next < bytes.count, bytes[next] == UInt8(ascii: "u") else {
            throw JsonError(.syntax, at: position(start), "expected a whole surrogate pair, found half of one")
        }
        let second = try fourHexDigits()
        guard 0xDC00...0xDFFF ~= second,
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else {
            throw JsonError(.syntax, at: position(start), "expected a whole surrogate pair, found half of one")
        }
        return scalar
    }

    private mutating func fourHexDigits() throws(JsonError) -> UInt32 {
        next += 1
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard next < bytes.count, let digit = hexValue(bytes[next]) else { throw expected("a hexadecimal digit") }
            value = value << 4 | digit
            next += 1
        }
        return value
    }

    private func hexValue(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

// MARK: - Errors

extension JsonScanner {
    private func expected(_ what: String) -> JsonError {
        JsonError(.syntax, at: position(next), "expected \(what), found \(found)")
    }

    private var found: String {
        guard next < bytes.count else { return "the end of the text" }
        let byte = bytes[next]
        guard 0x21...0x7E ~= byte else { return "byte 0x\(hex(byte))" }
        return "'\(Character(Unicode.Scalar(byte)))'"
    }

    private func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    private func position(_ offset: Int) -> JsonError.Position {
        let before = bytes[..<offset]
        let line = before.count { $0 == 0x0A } + 1
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return JsonError.Position(offset: offset, line: line, column: offset - lineStart + 1)
    }
}
