#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import CoreNetKitSystem

extension Redactor {
    /// A content by the rules of its type; `nil` where nothing is known of its type, or it is not what it says it is.
    ///
    /// - Parameters:
    ///   - body: The content, decompressed.
    ///   - type: The value of its `Content-Type`.
    ///   - limit: The most bytes to keep; what is cut off is marked.
    /// - Returns: JSON and forms without the values of secret members.
    package mutating func body(_ body: Data, type: String?, limit: Int = 64 << 10) -> Data? {
        guard !body.isEmpty else { return body }
        let media = (type ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        let shown: Data
        if media == "application/json" || media.hasSuffix("+json") || media == "text/json" {
            guard let bytes = json(body) else { return nil }
            shown = Data(bytes)
        } else if media == "application/x-www-form-urlencoded" {
            guard let text = String(validating: body, as: UTF8.self) else { return nil }
            shown = Data(items(text).utf8)
        } else {
            return nil
        }
        guard shown.count > limit else { return shown }
        let kept = shown.prefix(limit)
        // Not in the middle of a character.
        let end = kept.lastIndex { $0 & 0xC0 != 0x80 } ?? kept.startIndex
        return kept[..<end] + Data("…".utf8)
    }

    /// The bytes of a JSON text with the values of secret members replaced; `nil` where they are no JSON.
    package mutating func json(_ body: Data) -> [UInt8]? {
        var scanner = JSONRedaction(input: Array(body))
        return scanner.run(&self) ? scanner.output : nil
    }
}

/// Copies a JSON text and replaces the values of secret members, without building a tree.
private struct JSONRedaction {
    let input: [UInt8]
    private(set) var output: [UInt8] = []
    private var index = 0

    init(input: [UInt8]) {
        self.input = input
        output.reserveCapacity(input.count)
    }

    mutating func run(_ redactor: inout Redactor) -> Bool {
        while index < input.count {
            guard input[index] == quote else {
                output.append(input[index])
                index += 1
                continue
            }
            let start = index
            guard let text = string() else { return false }
            let end = index
            guard isFollowedByColon() else {
                emit(text, start..<end, named: nil, &redactor)
                continue
            }
            output += input[start..<index]
            guard copySpace() else { return false }
            let strength = SecretName.strength(text)
            if strength == .strong {
                guard let value = value() else { return false }
                let shown = String(decoding: input[value], as: UTF8.self)
                // `null`, `true` and empty texts tell nothing, and what they are tells something.
                if ["null", "true", "false", "\"\""].contains(shown) {
                    output += input[value]
                } else {
                    append(redactor.replacement(of: shown, named: text))
                }
            } else if index < input.count, input[index] == quote {
                let start = index
                guard let value = string() else { return false }
                emit(value, start..<index, named: text, &redactor)
            }
        }
        return true
    }

    private mutating func emit(
        _ text: String,
        _ range: Range<Int>,
        named name: String?,
        _ redactor: inout Redactor
    ) {
        if SecretLook.isSecret(text) {
            redactor.hint("the JSON member '\(name ?? "")'")
            append(redactor.replacement(of: text, named: name ?? "text"))
        } else if text.contains("://") {
            let shown = redactor.message(text)
            if shown == text { output += input[range] } else { append(shown) }
        } else {
            output += input[range]
        }
    }

    private mutating func append(_ text: String) {
        output.append(quote)
        for byte in text.utf8 {
            if byte == quote || byte == backslash { output.append(backslash) }
            if byte >= 0x20 { output.append(byte) }
        }
        output.append(quote)
    }

    /// Reads a string and gives its text; escapes other than the simple ones are decoded for comparison only.
    private mutating func string() -> String? {
        index += 1
        var bytes: [UInt8] = []
        while index < input.count {
            let byte = input[index]
            index += 1
            if byte == quote { return String(decoding: bytes, as: UTF8.self) }
            guard byte == backslash else {
                bytes.append(byte)
                continue
            }
            guard index < input.count else { return nil }
            let escape = input[index]
            index += 1
            guard escape == UInt8(ascii: "u") else {
                bytes.append(escape)
                continue
            }
            guard index + 4 <= input.count else { return nil }
            let digits = String(decoding: input[index..<index + 4], as: UTF8.self)
            guard let value = UInt32(digits, radix: 16) else { return nil }
            index += 4
            bytes += Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
        }
        return nil
    }

    private mutating func isFollowedByColon() -> Bool {
        var ahead = index
        while ahead < input.count, input[ahead] <= 0x20 { ahead += 1 }
        guard ahead < input.count, input[ahead] == colon else { return false }
        index = ahead + 1
        return true
    }

    private mutating func copySpace() -> Bool {
        while index < input.count, input[index] <= 0x20 {
            output.append(input[index])
            index += 1
        }
        return index < input.count
    }

    /// Skips one value of any kind.
    private mutating func value() -> Range<Int>? {
        let start = index
        var depth = 0
        while index < input.count {
            switch input[index] {
            case quote:
                guard string() != nil else { return nil }
                if depth == 0 { return start..<index }
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return start..<index }
                depth -= 1
                if depth == 0 {
                    index += 1
                    return start..<index
                }
            case UInt8(ascii: ","), 0...0x20:
                if depth == 0 { return start..<index }
            default: break
            }
            index += 1
        }
        return depth == 0 ? start..<index : nil
    }
}

private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
private let colon = UInt8(ascii: ":")
