/// Copies a JSON text, possibly cut, or several in a row, and replaces the values of secret members without building a tree.
struct JSONRedaction {
    /// How the names around a value classify it.
    private enum Context {
        case none
        /// In an object that is named for a secret: `session.id`.
        case inside
        /// Under a name that makes strings secret.
        case texts
        /// The same, at any depth.
        case deepTexts
        /// Under a name that makes every value secret.
        case all
    }

    private struct Frame {
        let isObject: Bool
        let context: Context
        let name: String?
    }

    private let input: [UInt8]
    private let depth: Int
    private(set) var output: [UInt8] = []
    private var index = 0
    private var frames: [Frame] = []
    /// The member whose value is next.
    private var member: String?

    /// `depth` is the number of texts that the text is nested in.
    init(_ input: [UInt8], depth: Int) {
        (self.input, self.depth) = (input, depth)
        output.reserveCapacity(input.count)
    }

    /// Whether bytes are an object or a list, possibly truncated, or one or more scalars, each on a line of its own.
    static func isJSON(_ text: some Collection<UInt8>) -> Bool {
        var rest = text[...]
        while true {
            rest = rest.drop { $0 <= 0x20 }
            guard let first = rest.first else { return true }
            if first == openObject || first == openList { return true }
            if first == quote {
                guard let end = endOfString(rest) else { return true }
                rest = rest[end...]
            } else {
                let scalar = rest.prefix { !endsScalar($0) }
                guard isScalar(scalar, mayEnd: scalar.endIndex == rest.endIndex) else { return false }
                rest = rest[scalar.endIndex...]
            }
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.isEmpty || rest.first == 0x0A || rest.first == 0x0D || rest.first == 0x1E else { return false }
        }
    }

    /// The position after the closing mark of a string; `nil` if that is missing.
    private static func endOfString<Bytes: Collection<UInt8>>(_ text: Bytes) -> Bytes.Index? {
        var index = text.index(after: text.startIndex)
        while index < text.endIndex {
            let byte = text[index]
            index = text.index(after: index)
            if byte == quote { return index }
            if byte == backslash, index < text.endIndex { index = text.index(after: index) }
        }
        return nil
    }

    /// Whether bytes are a number, `true`, `false` or `null`, or the beginning of one if their end may be missing.
    private static func isScalar(_ bytes: some Collection<UInt8>, mayEnd: Bool) -> Bool {
        guard let first = bytes.first else { return false }
        if first == UInt8(ascii: "-") || first >= 0x30 && first <= 0x39 {
            return bytes.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || "+-.eE".utf8.contains($0) }
        }
        let words = ["true", "false", "null"].lazy.map(\.utf8)
        return words.contains { $0.elementsEqual(bytes) || mayEnd && $0.starts(with: bytes) }
    }

    mutating func run(_ redactor: inout Redactor) {
        while index < input.count {
            switch input[index] {
            case quote: string(&redactor)
            case openObject: open(isObject: true, redactor)
            case openList: open(isObject: false, redactor)
            case closeObject, closeList:
                frames.removeLast(frames.isEmpty ? 0 : 1)
                copyMark()
            case comma: copyMark()
            case colon, 0...0x20: copy(1)
            default: scalar(&redactor)
            }
        }
    }

    private mutating func copy(_ count: Int) {
        output += input[index..<index + count]
        index += count
    }

    private mutating func copyMark() {
        member = nil
        copy(1)
    }

    private mutating func open(isObject: Bool, _ redactor: Redactor) {
        let context = context(redactor)
        let inner: Context = isObject && context == .texts ? .inside : context
        frames.append(Frame(isObject: isObject, context: inner, name: member ?? frames.last?.name))
        copyMark()
    }

    private func context(_ redactor: Redactor) -> Context {
        let outer = frames.last?.context ?? .none
        guard let member else { return outer }
        switch redactor.rules.weight(member: member) {
        case .strong: return .all
        case .token: return outer == .all ? .all : .deepTexts
        case .ending: return outer == .all || outer == .deepTexts ? outer : .texts
        case .none, .doubt: break
        }
        switch outer {
        case .none: return .none
        case .inside: return SecretName.isInside(member) ? .texts : .none
        case .texts, .deepTexts, .all: return SecretName.isAbout(member) ? .none : outer
        }
    }

    private mutating func string(_ redactor: inout Redactor) {
        let start = index
        let (text, isWhole) = readString()
        let isName = isFollowedByColon || frames.last?.isObject == true && member == nil
        guard !isName else {
            output += input[start..<index]
            member = text
            return
        }
        let name = member ?? frames.last?.name
        let context = context(redactor)
        member = nil
        guard !text.isEmpty else { return output += input[start..<index] }
        if context != .none && context != .inside
            || redactor.isSecret(value: text, isCut: !isWhole, at: "the JSON member '\(name ?? "")'")
        {
            append(redactor.replacement(of: text, named: name ?? "text"))
        } else if let shown = redactor.inner(text, isCut: !isWhole, depth: depth + 1) {
            append(shown)
        } else {
            output += input[start..<index]
        }
    }

    /// A number, or `true`, `false` and `null`, which reveal no secret; anything else is replaced.
    private mutating func scalar(_ redactor: inout Redactor) {
        let start = index
        while index < input.count, !Self.endsScalar(input[index]) { index += 1 }
        if index == start { index += 1 }
        let name = member ?? frames.last?.name
        let context = context(redactor)
        member = nil
        guard Self.isScalar(input[start..<index], mayEnd: index == input.count) else {
            // No JSON: any of it may be a secret. A tape is played, and keeps what no rule removes.
            let text = String(decoding: input[start..<index], as: UTF8.self)
            guard redactor.style == .constant else { return output += redactor.message(text).utf8 }
            return append(redactor.replacement(of: text, named: name ?? "text"))
        }
        guard context == .all, input[start] == UInt8(ascii: "-") || input[start] >= 0x30 && input[start] <= 0x39 else {
            return output += input[start..<index]
        }
        let number = String(decoding: input[start..<index], as: UTF8.self)
        output += redactor.documentReplacement(ofNumber: number, named: name ?? "number").utf8
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case quote, openObject, openList, closeObject, closeList, comma, colon, 0...0x20: true
        default: false
        }
    }

    private mutating func append(_ text: String) {
        output.append(quote)
        for byte in text.utf8 {
            switch byte {
            case quote, backslash: output += [backslash, byte]
            case 0x0A: output += [backslash, UInt8(ascii: "n")]
            case 0x0D: output += [backslash, UInt8(ascii: "r")]
            case 0x09: output += [backslash, UInt8(ascii: "t")]
            case 0..<0x20: break
            default: output.append(byte)
            }
        }
        output.append(quote)
    }

    private var isFollowedByColon: Bool { input[index...].first { $0 > 0x20 } == colon }

    private mutating func readString() -> (text: String, isWhole: Bool) {
        index += 1
        var bytes: [UInt8] = []
        while index < input.count {
            let byte = input[index]
            index += 1
            if byte == quote { return (String(decoding: bytes, as: UTF8.self), true) }
            guard byte == backslash else {
                bytes.append(byte)
                continue
            }
            guard index < input.count else { break }
            let escape = input[index]
            index += 1
            switch escape {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "b"), UInt8(ascii: "f"): bytes.append(0x20)
            case UInt8(ascii: "u"): bytes += scalarEscape()
            default: bytes.append(escape)
            }
        }
        return (String(decoding: bytes, as: UTF8.self), false)
    }

    /// The character of `\u0070`, or of a pair of surrogates.
    private mutating func scalarEscape() -> [UInt8] {
        guard let first = unit() else { return [] }
        var value = UInt32(first)
        if 0xD800...0xDBFF ~= value, index + 1 < input.count, input[index] == backslash,
            input[index + 1] == UInt8(ascii: "u")
        {
            index += 2
            guard let second = unit() else { return [] }
            if 0xDC00...0xDFFF ~= second { value = 0x10000 + (value - 0xD800) << 10 + UInt32(second) - 0xDC00 }
        }
        return Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
    }

    private mutating func unit() -> UInt16? {
        let end = min(index + 4, input.count)
        defer { index = end }
        guard end - index == 4 else { return nil }
        return UInt16(String(decoding: input[index..<end], as: UTF8.self), radix: 16) ?? 0xFFFD
    }
}

private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
private let colon = UInt8(ascii: ":")
private let comma = UInt8(ascii: ",")
private let openObject = UInt8(ascii: "{")
private let closeObject = UInt8(ascii: "}")
private let openList = UInt8(ascii: "[")
private let closeList = UInt8(ascii: "]")
