public import CoreNetKitChain
public import CoreNetKitHTTP
import CoreNetKitSystem

extension TraceContext {
    /// Reads the fields of a request or a response.
    ///
    /// Several lines of `traceparent`, or an invalid one, give no context; `tracestate` counts only with a valid
    /// `traceparent`.
    /// - SeeAlso: [Trace Context, 3](https://www.w3.org/TR/trace-context-2/#trace-context-http-headers-format)
    public init?(_ headers: Headers) {
        let lines = headers[values: "traceparent"]
        guard lines.count == 1, let parent = TraceContext(traceparent: lines[0]) else { return nil }
        self = parent
        state = Self.state(of: headers[values: "tracestate"])
    }

    /// Reads the value of a `traceparent` field; surrounding white space is ignored.
    public init?(traceparent: String) {
        let bytes = Array(Self.trimmed(traceparent[...]).utf8)
        let dash = UInt8(ascii: "-")
        guard bytes.count >= 55, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = Self.number(bytes[0..<2]), version != 0xFF,
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
            let parent = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55])
        else { return nil }
        // A later version may have more fields after another dash; this one may not.
        guard bytes.count == 55 || version > 0 && bytes[55] == dash, high | low != 0, parent != 0 else { return nil }
        self.init(traceID: (high, low), parentID: parent, isSampled: flags & 1 == 1)
        isRandom = flags & 2 == 2
    }

    /// The value of a `traceparent` field.
    public var traceparent: String { "00-\(traceIDText)-\(Self.hex(parentID))-0\(flags)" }

    /// The flags of this version.
    var flags: Int { (isSampled ? 1 : 0) | (isRandom ? 2 : 0) }

    /// The 32 digits of the trace's id.
    var traceIDText: String { Self.hex(traceID.high) + Self.hex(traceID.low) }

    static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// A child of this position: the same trace, a new span.
    func child() -> TraceContext {
        var child = self
        child.parentID = UInt64.random(in: 1 ... .max)
        return child
    }

    /// A new trace, whose id decides whether it is sampled.
    static func root(_ sampling: TracePolicy.Sampling) -> TraceContext {
        let id = (high: UInt64.random(in: 0 ... .max), low: UInt64.random(in: 1 ... .max))
        var root = TraceContext(traceID: id, parentID: 0, isSampled: sampling.takes(id.low))
        root.isRandom = true
        return root
    }

    /// Lower-case digits only, as the standard requires.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            guard digit < UInt8(ascii: "A") || digit > UInt8(ascii: "Z"), let value = Hex.value(of: digit)
            else { return nil }
            number = number << 4 | UInt64(value)
        }
        return number
    }

    /// The members of all lines, at most 32; an invalid list is dropped.
    private static func state(of lines: [String]) -> String? {
        var keys: Set<String> = []
        var members: [String] = []
        for line in lines {
            for member in line.split(separator: ",") {
                let text = String(trimmed(member))
                if text.isEmpty { continue }
                guard isMember(text), keys.insert(String(text.prefix { $0 != "=" })).inserted else { return nil }
                members.append(text)
            }
        }
        return members.isEmpty || members.count > 32 ? nil : shortened(members).joined(separator: ",")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let text = text.drop(while: isBlank)
        return text.lastIndex { !isBlank($0) }.map { text[...$0] } ?? ""
    }

    private static let keyBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789_-*/@".utf8)

    private static func isMember(_ text: String) -> Bool {
        guard let equals = text.firstIndex(of: "=") else { return false }
        let key = text[..<equals].utf8
        let value = text[text.index(after: equals)...].utf8
        // It must begin with a letter or a digit.
        guard let first = key.first, 0x61...0x7A ~= first || 0x30...0x39 ~= first else { return false }
        return key.count <= 256 && key.allSatisfy(keyBytes.contains) && !value.isEmpty && value.count <= 256
            && value.allSatisfy { 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
    }

    /// Limits the text to 512 characters: long members are dropped first, then those at the end.
    private static func shortened(_ members: [String]) -> [String] {
        func length(_ members: [String]) -> Int { members.reduce(-1) { $0 + $1.utf8.count + 1 } }
        var members = members
        while length(members) > 512, let index = members.lastIndex(where: { $0.utf8.count > 128 }) {
            members.remove(at: index)
        }
        while length(members) > 512 { members.removeLast() }
        return members
    }
}
