package import CoreNetKitEssentials

/// A scanned JSON text: its bytes and a flat list of the values in them, the first of which is the whole value.
package final class JsonDocument: @unchecked Sendable {
    // Sendable: nothing is written after `init` except what `cursors` guards.

    package let coding: JsonCoding
    /// The value at which paths begin.
    package let base: UInt32
    /// The path above that value, for a document that represents a missing member.
    package let origin: [any CodingKey]

    let bytes: UnsafePointer<UInt8>
    private let count: Int
    private let tokens: UnsafePointer<JsonToken>
    /// The memory of both; `nil` if it belongs to another document.
    private let block: UnsafeMutableRawPointer?
    private let owner: JsonDocument?
    let cursors = JsonCursorPool()

    /// Scans a copy of a text, because values may outlive the call.
    package init(
        _ source: UnsafeBufferPointer<UInt8>,
        coding: JsonCoding = JsonCoding(),
        origin: [any CodingKey] = []
    ) throws(JsonError) {
        var scanner = try JsonScanner(source)
        do throws(JsonError) { try scanner.scan() } catch {
            scanner.block.deallocate()
            throw error
        }
        self.coding = coding
        self.origin = origin
        base = 0
        block = scanner.block
        owner = nil
        bytes = UnsafePointer(scanner.bytes)
        count = source.count
        tokens = UnsafePointer(scanner.tokens)
    }

    /// The same text, seen from one of its values and with other options.
    private init(_ owner: JsonDocument, base: UInt32, coding: JsonCoding) {
        self.coding = coding
        self.base = base
        self.owner = owner
        origin = owner.origin
        block = nil
        bytes = owner.bytes
        count = owner.count
        tokens = owner.tokens
    }

    /// The same text, seen from one of its values and with these options.
    func viewed(from base: UInt32, coding: JsonCoding) -> JsonDocument {
        base == self.base && coding.isSame(as: self.coding)
            ? self : JsonDocument(owner ?? self, base: base, coding: coding)
    }

    deinit { block?.deallocate() }

    package static func reading(_ data: Data, coding: JsonCoding = JsonCoding()) throws(JsonError) -> JsonDocument {
        // Not with `data.withUnsafeBytes`, which throws any error and would need a result to carry ours.
        try data.bytes.withUnsafeBytes { bytes throws(JsonError) in
            try JsonDocument(bytes.bindMemory(to: UInt8.self), coding: coding)
        }
    }

    /// A document without a value, for code that needs a document and has none.
    static let nothing = null(at: [], coding: JsonCoding())

    /// Represents a missing member whose decoder is requested.
    static func null(at path: [any CodingKey], coding: JsonCoding) -> JsonDocument? {
        var text = "null"
        return text.withUTF8 { try? JsonDocument($0, coding: coding, origin: path) }
    }

    @inline(__always)
    package subscript(index: UInt32) -> JsonToken { tokens[Int(index)] }

    /// The position after a value and everything in it.
    @inline(__always)
    package func end(of index: UInt32) -> UInt32 {
        let token = self[index]
        return token.isContainer ? token.start : index + 1
    }

    /// The bytes of a string or number as written, without quotes.
    @inline(__always)
    package func bytes(of index: UInt32) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + Int(self[index].start), count: Int(size(of: index)))
    }

    /// The number of bytes of a string or number, or of elements or members of an array or object.
    @inline(__always)
    package func size(of index: UInt32) -> UInt32 {
        let size = self[index].size
        return size < JsonToken.largeSize ? size : largeSize(of: index)
    }

    /// Finds a size that does not fit in its token.
    @inline(never)
    private func largeSize(of index: UInt32) -> UInt32 {
        var size: UInt32 = 0
        switch self[index].kind {
        case .array: forEachElement(of: index) { _ in size += 1 }
        case .object: forEachName(of: index) { _ in size += 1 }
        case .string:
            let text = bytes + Int(self[index].start)
            while text[Int(size)] != UInt8(ascii: "\"") { size += text[Int(size)] == UInt8(ascii: "\\") ? 2 : 1 }
        default:
            let text = bytes + Int(self[index].start)
            let marks = Array("+-.eE".utf8)
            while 0x30...0x39 ~= text[Int(size)] || marks.contains(text[Int(size)]) { size += 1 }
        }
        return size
    }

    /// The names and positions from the base to a value, the outermost first; the ordinal is its position in an array.
    package func path(to index: UInt32, in parent: UInt32, at ordinal: UInt32) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var (index, parent, ordinal) = (index, parent, ordinal)
        while index != base, index != 0 {
            let isMember = self[parent].kind == .object
            path.append(isMember ? AnyKey(stringValue: string(at: index - 1)) : AnyKey(intValue: Int(ordinal)))
            index = parent
            (parent, ordinal) = self[index + 1].place
        }
        return origin + path.reversed()
    }

    package func kind(of index: UInt32) -> String {
        switch self[index].kind {
        case .null: "null"
        case .no, .yes: "bool"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    package func tree(at index: UInt32) -> Json {
        switch self[index].kind {
        case .null: return .null
        case .no: return Json(.bool(false))
        case .yes: return Json(.bool(true))
        case .string: return Json(.string(string(at: index)))
        case .number: return number(at: index)
        case .array:
            var elements: [Json] = []
            elements.reserveCapacity(Int(size(of: index)))
            forEachElement(of: index) { elements.append(tree(at: $0)) }
            return Json(.array(elements))
        case .object:
            var members: [JsonObject.Member] = []
            members.reserveCapacity(Int(size(of: index)))
            forEachName(of: index) { members.append((string(at: $0), tree(at: $0 + 1))) }
            return Json(.object(JsonObject(members)))
        }
    }

    private func number(at index: UInt32) -> Json {
        let token = self[index]
        // The text `-0` says more than the integer.
        guard !token.traits.contains(.fractional), let integer = integer(at: index, as: Int64.self),
            integer != 0 || size(of: index) == 1
        else { return Json(.number(string(at: index))) }
        return Json(.integer(integer))
    }

    package func forEachElement(of array: UInt32, _ body: (UInt32) throws -> Void) rethrows {
        var element = array + 2
        let end = end(of: array)
        while element < end {
            try body(element)
            element = self.end(of: element)
        }
    }
}

/// One value or name in the list of a ``JsonDocument``: eight bytes, and for a container eight more with its own position.
package struct JsonToken {
    package enum Kind: UInt8 {
        case null, no, yes, number, string, array, object
    }

    package struct Traits: OptionSet {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let escaped = Traits(rawValue: 1)
        package static let wide = Traits(rawValue: 2)
        /// A number with a fraction or an exponent.
        package static let fractional = Traits(rawValue: 4)
    }

    /// From this size on the size is stored in the document: there are no bits left for it here.
    static let largeSize: UInt32 = 1 << 26 - 1

    /// The position where a string or number begins; for an array or object, the token after its last one.
    package let start: UInt32
    /// From the lowest bits: kind, traits, size.
    private let rest: UInt32

    @inline(__always)
    init(_ kind: Kind, _ traits: Traits = [], start: Int, size: Int = 0) {
        self.start = UInt32(truncatingIfNeeded: start)
        rest =
            UInt32(kind.rawValue) | UInt32(traits.rawValue) << 3
            | min(UInt32(truncatingIfNeeded: size), Self.largeSize) << 6
    }

    /// Sets the position of an array or object.
    @inline(__always)
    init(parent: Int, ordinal: Int) {
        start = UInt32(truncatingIfNeeded: parent)
        rest = UInt32(truncatingIfNeeded: ordinal)
    }

    @inline(__always)
    package var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: rest & 7)) ?? .null }

    /// The traits of a string or number; for an object, the combined traits of its names.
    @inline(__always)
    package var traits: Traits { Traits(rawValue: UInt8(truncatingIfNeeded: rest >> 3 & 7)) }

    /// The number of bytes of a string or number; for an array or object, its number of elements or members.
    @inline(__always)
    var size: UInt32 { rest >> 6 }

    /// In the second token of an array or object: its container, and its position there.
    var place: (parent: UInt32, ordinal: UInt32) { (start, rest) }

    @inline(__always)
    package var isContainer: Bool { rest & 7 >= UInt32(Kind.array.rawValue) }
}
