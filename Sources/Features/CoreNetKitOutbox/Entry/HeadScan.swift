import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Reads from an entry's head only what the index keeps, without building a JSON tree: a start reads all waiting entries.
///
/// It accepts only the form in which heads are written, and leaves anything else to the full JSON reader.
struct HeadScan {
    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    private var rest: Bytes
    private var head = EntryHead(
        id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        queue: "",
        kind: "",
        method: "",
        url: "",
        fields: [:],
        made: WallMoment(wall: 0),
        repetition: .atMostOnce
    )
    private var made: Int64?
    private var boot: (bootID: UInt64, steady: Int64)?
    private var rule = ""
    private var keyLife: Int64 = 0
    private var names = 0

    /// The head without fields, key and revision; `nil` if the full reader has to read it.
    static func head(_ payload: [UInt8]) -> EntryHead? {
        payload.withUnsafeBufferPointer { bytes in
            guard bytes.count >= 4 else { return nil }
            let count = Int(UnsafeRawBufferPointer(bytes).little(UInt32.self, at: 0))
            guard count <= bytes.count - 4 else { return nil }
            var scan = HeadScan(rest: bytes[4..<4 + count])
            return scan.scan() ? scan.head : nil
        }
    }

    private init(rest: Bytes) { self.rest = rest }

    private mutating func scan() -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        repeat {
            guard let name = text(), take(UInt8(ascii: ":")), member(name) else { return false }
        } while take(UInt8(ascii: ","))
        // All five required members must be present, once each.
        guard take(UInt8(ascii: "}")), rest.isEmpty, names == 0b1_1111, let made else { return false }
        head.made = boot.map { WallMoment(wall: made, steady: $0.steady, bootID: $0.bootID) } ?? WallMoment(wall: made)
        head.repetition = OutboxRepetition(stored: rule, keyLife: keyLife)
        return true
    }

    private mutating func member(_ name: Bytes) -> Bool {
        func isNamed(_ text: StaticString) -> Bool {
            name.count == text.utf8CodeUnitCount
                && name.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: name.count))
        }
        // The length of a name rules out most of them.
        switch name.count {
        case 2 where isNamed("id"): return required(0, uuid()) { $0.id = $1 }
        case 3 where isNamed("url"): return required(4, string()) { $0.url = $1 }
        case 4 where isNamed("kind"): return required(2, string()) { $0.kind = $1 }
        case 4 where isNamed("made"): return optional(number(Int64.self)) { $0.made = $1 }
        case 4 where isNamed("body"): return optional(boolean()) { $0.head.hasBody = $1 }
        case 4 where isNamed("blob") || isNamed("when"): return false
        case 5 where isNamed("queue"): return required(1, string()) { $0.queue = $1 }
        case 5 where isNamed("owner"): return optional(string()) { $0.head.owner = $1 }
        case 5 where isNamed("merge"): return optional(string()) { $0.head.mergeKey = $1 }
        case 5 where isNamed("place"): return optional(number(UInt64.self)) { $0.head.position = $1 }
        case 6 where isNamed("method"): return required(3, string()) { $0.method = $1 }
        case 6 where isNamed("repeat"): return optional(string()) { $0.rule = $1 }
        case 6 where isNamed("errand"): return optional(boolean()) { $0.head.isJob = $1 }
        case 7 where isNamed("expires"): return optional(number(Int64.self)) { $0.head.expires = $1 }
        case 7 where isNamed("expects"): return optional(string()) { $0.head.expects = $1 }
        case 7 where isNamed("keyLife"): return optional(number(Int64.self)) { $0.keyLife = $1 }
        case 8 where isNamed("madeBoot"): return optional(moment()) { $0.boot = $1 }
        case 8 where isNamed("replaces"): return optional(uuid()) { $0.head.replaces = $1 }
        case 9 where isNamed("standsFor"): return false
        default: return skip()
        }
    }

    private mutating func required<Value>(_ bit: Int, _ value: Value?, _ set: (inout EntryHead, Value) -> Void) -> Bool
    {
        guard let value, names & 1 << bit == 0 else { return false }
        names |= 1 << bit
        set(&head, value)
        return true
    }

    private mutating func optional<Value>(_ value: Value?, _ set: (inout HeadScan, Value) -> Void) -> Bool {
        guard let value else { return false }
        set(&self, value)
        return true
    }

    // MARK: Values

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func string() -> String? {
        guard let text = text() else { return nil }
        let bytes = UnsafeBufferPointer(rebasing: text)
        let isPlain = bytes.allSatisfy { $0 < 0x80 }
        return isPlain ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }

    private mutating func text() -> Bytes? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var index = rest.startIndex
        while index < rest.endIndex {
            let byte = rest[index]
            if byte == UInt8(ascii: "\"") {
                defer { rest = rest[(index + 1)...] }
                return rest[..<index]
            }
            guard byte != UInt8(ascii: "\\"), byte >= 0x20 else { return nil }
            index += 1
        }
        return nil
    }

    private mutating func skipString() -> Bool {
        var index = rest.startIndex + 1
        while index < rest.endIndex, rest[index] != UInt8(ascii: "\"") {
            index += rest[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < rest.endIndex else { return false }
        rest = rest[(index + 1)...]
        return true
    }

    private mutating func uuid() -> UUID? {
        guard let text = text(), text.count == 36 else { return nil }
        var (high, low, count) = (UInt64(0), UInt64(0), 0)
        for (place, byte) in text.enumerated() {
            if place == 8 || place == 13 || place == 18 || place == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Hex.value(of: byte) else { return nil }
            if count < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
            count += 1
        }
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { bytes in
            bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return UUID(uuid: bytes)
    }

    private mutating func boolean() -> Bool? {
        for (text, value) in [("true", true), ("false", false)] where rest.starts(with: text.utf8) {
            rest.removeFirst(text.utf8.count)
            return value
        }
        return nil
    }

    /// An integer, without a fraction or an exponent.
    private mutating func number<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        let isNegative = take(UInt8(ascii: "-"))
        let start = rest.startIndex
        var (value, index) = (Value(0), start)
        while index < rest.endIndex, 0x30...0x39 ~= rest[index] {
            let digit = Value(rest[index] - 0x30)
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuch) =
                isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            guard !isTooLarge, !isTooMuch else { return nil }
            value = sum
            index += 1
        }
        guard index > start, index < rest.endIndex, rest[start] != UInt8(ascii: "0") || index == start + 1,
            rest[index] == UInt8(ascii: ",") || rest[index] == UInt8(ascii: "]") || rest[index] == UInt8(ascii: "}")
        else { return nil }
        rest = rest[index...]
        return value
    }

    private mutating func moment() -> (bootID: UInt64, steady: Int64)? {
        guard take(UInt8(ascii: "[")), let bootID = number(UInt64.self), take(UInt8(ascii: ",")),
            let steady = number(Int64.self), take(UInt8(ascii: "]"))
        else { return nil }
        return (bootID, steady)
    }

    /// Skips a value that the index does not keep; its content was checked when it was written.
    private mutating func skip() -> Bool {
        var depth = 0
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
                if depth == 0 { return true }
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return true }
                depth -= 1
                if depth == 0 {
                    rest.removeFirst()
                    return true
                }
            case UInt8(ascii: ","): if depth == 0 { return true }
            case 0...0x20: return false
            default: break
            }
            rest.removeFirst()
        }
        return false
    }
}
