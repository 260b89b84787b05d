import CoreNetKitSystem

/// Scans one JSON text, exactly as RFC 8259 defines it, into a list of tokens.
///
/// A byte order mark is skipped. Bytes that are not UTF-8 and escapes of lone surrogates are refused, so that nothing is
/// replaced. Bytes and tokens share one block, so that a small document takes one allocation. Zeros after the bytes end every
/// loop, so that none has to check where the text ends.
struct JsonScanner {
    private static let padding = 16

    private(set) var block: UnsafeMutableRawPointer
    private(set) var bytes: UnsafeMutablePointer<UInt8>
    private(set) var tokens: UnsafeMutablePointer<JsonToken>
    private var capacity: Int
    private var used = 0

    let count: Int
    var next = 0

    init(_ source: UnsafeBufferPointer<UInt8>) throws(JsonError) {
        guard source.count < Int(UInt32.max) - Self.padding else {
            throw JsonError(.unsupported, "the text is longer than 4 GB")
        }
        count = source.count
        // Enough for most documents, and for large ones at most as many bytes as the text has; the list can grow.
        capacity = min(16 + source.count / (source.count < 4096 ? 4 : 8), 1 << 16)
        (block, bytes, tokens) = Self.allocate(count: count, capacity: capacity)
        if let start = source.baseAddress { bytes.update(from: start, count: count) }
        (bytes + count).update(repeating: 0, count: Self.padding)
    }

    /// Scans the text; the caller frees the block.
    mutating func scan() throws(JsonError) {
        if count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { next = 3 }
        skipSpace()
        guard next < count else { throw JsonError(.empty, "expected a JSON value, found no bytes") }
        try value(in: 0, at: 0, depth: 0)
        skipSpace()
        guard next == count else { throw expected("the end of the text") }
    }

    private mutating func value(in parent: Int, at ordinal: Int, depth: Int) throws(JsonError) {
        switch bytes[next] {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "{"): try object(in: parent, at: ordinal, depth: depth)
        case UInt8(ascii: "["): try array(in: parent, at: ordinal, depth: depth)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "t"): try literal("true", .yes)
        case UInt8(ascii: "f"): try literal("false", .no)
        case UInt8(ascii: "n"): try literal("null", .null)
        default: throw expected("a value")
        }
    }

    /// Scans a member or an element: strings and numbers, the most frequent values, without a call.
    @inline(__always)
    private mutating func part(of parent: Int, at ordinal: Int, depth: Int) throws(JsonError) {
        switch bytes[next] {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: try value(in: parent, at: ordinal, depth: depth)
        }
    }

    private mutating func array(in parent: Int, at ordinal: Int, depth: Int) throws(JsonError) {
        let array = try open(in: parent, at: ordinal, depth: depth)
        var size = 0
        skipSpace()
        if !take(UInt8(ascii: "]")) {
            while true {
                try part(of: array, at: size, depth: depth &+ 1)
                size &+= 1
                skipSpace()
                if take(UInt8(ascii: ",")) {
                    skipSpace()
                    continue
                }
                guard take(UInt8(ascii: "]")) else { throw expected("',' or ']'") }
                break
            }
        }
        tokens[array] = JsonToken(.array, start: used, size: size)
    }

    private mutating func object(in parent: Int, at ordinal: Int, depth: Int) throws(JsonError) {
        let object = try open(in: parent, at: ordinal, depth: depth)
        var traits: JsonToken.Traits = []
        var size = 0
        skipSpace()
        if !take(UInt8(ascii: "}")) {
            while true {
                guard bytes[next] == UInt8(ascii: "\"") else { throw expected("a name in quotes") }
                traits.formUnion(try string())
                skipSpace()
                guard take(UInt8(ascii: ":")) else { throw expected("':'") }
                skipSpace()
                try part(of: object, at: size, depth: depth &+ 1)
                size &+= 1
                skipSpace()
                if take(UInt8(ascii: ",")) {
                    skipSpace()
                    continue
                }
                guard take(UInt8(ascii: "}")) else { throw expected("',' or '}'") }
                break
            }
        }
        tokens[object] = JsonToken(.object, traits, start: used, size: size)
    }

    /// Adds the tokens of an array or object; the first is written when its end is known.
    @inline(__always)
    private mutating func open(in parent: Int, at ordinal: Int, depth: Int) throws(JsonError) -> Int {
        guard depth < Json.depthLimit else { throw tooDeep() }
        next &+= 1
        add(JsonToken(.null, start: 0))
        add(JsonToken(parent: parent, ordinal: ordinal))
        return used &- 2
    }

    @inline(__always)
    private mutating func literal(_ text: StaticString, _ kind: JsonToken.Kind) throws(JsonError) {
        for index in 0..<text.utf8CodeUnitCount {
            guard bytes[next] == text.utf8Start[index] else { throw expected("'\(text)'") }
            next &+= 1
        }
        add(JsonToken(kind, start: next))
    }

    // MARK: - Steps

    @inline(__always)
    mutating func skipSpace() { if bytes[next] <= 0x20 { skipSomeSpace() } }

    /// Not inlined, because most texts have no white space.
    @inline(never)
    private mutating func skipSomeSpace() {
        var end = next
        while true {
            switch bytes[end] {
            case 0x20, 0x0A, 0x0D, 0x09: end &+= 1
            default:
                next = end
                return
            }
        }
    }

    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard bytes[next] == byte else { return false }
        next &+= 1
        return true
    }

    /// Adds a token; the document's size was checked, so every number fits.
    @inline(__always)
    mutating func add(_ token: JsonToken) {
        if used == capacity { grow() }
        (tokens + used).initialize(to: token)
        used &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let old = (block, bytes, tokens)
        capacity *= 2
        (block, bytes, tokens) = Self.allocate(count: count, capacity: capacity)
        bytes.update(from: old.1, count: count + Self.padding)
        tokens.moveInitialize(from: old.2, count: used)
        old.0.deallocate()
    }

    private static func allocate(
        count: Int,
        capacity: Int
    ) -> (UnsafeMutableRawPointer, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<JsonToken>) {
        let list = capacity * MemoryLayout<JsonToken>.stride
        let block = UnsafeMutableRawPointer.allocate(byteCount: list + count + padding, alignment: 8)
        return (
            block, (block + list).bindMemory(to: UInt8.self, capacity: count + padding),
            block.bindMemory(to: JsonToken.self, capacity: capacity)
        )
    }

    // MARK: - Errors

    @inline(never)
    private func tooDeep() -> JsonError {
        JsonError(.tooDeep, at: position(next), "nested deeper than \(Json.depthLimit) levels")
    }

    @inline(never)
    func expected(_ what: String) -> JsonError {
        JsonError(.syntax, at: position(next), "expected \(what), found \(found)")
    }

    private var found: String {
        guard next < count else { return "the end of the text" }
        let byte = bytes[next]
        guard 0x21...0x7E ~= byte else { return "byte \(hex(byte))" }
        return "'\(Character(Unicode.Scalar(byte)))'"
    }

    func hex(_ byte: UInt8) -> String { "0x" + Hex.encode([byte]).uppercased() }

    func position(_ offset: Int) -> JsonError.Position {
        let before = UnsafeBufferPointer(start: bytes, count: offset)
        let line = before.count { $0 == 0x0A } + 1
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return JsonError.Position(offset: offset, line: line, column: offset - lineStart + 1)
    }
}
