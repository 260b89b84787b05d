import CoreNetKitSystem

/// Writes JSON directly into bytes: exports are too long for trees.
struct JSONOutput {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Returns and clears the bytes written so far.
    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    mutating func object(_ name: StaticString? = nil, _ body: (inout JSONOutput) -> Void) {
        begin(name, "{")
        body(&self)
        end("}")
    }

    mutating func array(_ name: StaticString? = nil, _ body: (inout JSONOutput) -> Void) {
        begin(name, "[")
        body(&self)
        end("]")
    }

    /// An array with what `body` writes for each item.
    mutating func array<Items: Sequence>(
        _ name: StaticString? = nil,
        of items: Items,
        _ body: (inout JSONOutput, Items.Element) -> Void
    ) {
        array(name) { output in for item in items { body(&output, item) } }
    }

    mutating func begin(_ name: StaticString?, _ bracket: StaticString) {
        key(name)
        raw(bracket)
        needsComma = false
    }

    mutating func end(_ bracket: StaticString) {
        raw(bracket)
        needsComma = true
    }

    mutating func member(_ name: StaticString? = nil, _ text: String) {
        key(name)
        string(text)
    }

    mutating func member(_ name: StaticString? = nil, _ number: Int) {
        key(name)
        bytes += Array(String(number).utf8)
    }

    mutating func member(_ name: StaticString, _ flag: Bool) {
        key(name)
        raw(flag ? "true" : "false")
    }

    /// A number given as digits.
    mutating func member(_ name: StaticString? = nil, digits: String) {
        key(name)
        bytes += Array(digits.utf8)
    }

    private mutating func key(_ name: StaticString?) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        guard let name else { return }
        bytes.append(UInt8(ascii: "\""))
        raw(name)
        raw("\":")
    }

    private mutating func raw(_ text: StaticString) {
        bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: raw("\\n")
            case 0..<0x20, 0x7F:
                raw("\\u00")
                bytes += Hex.encode(CollectionOfOne(byte)).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
