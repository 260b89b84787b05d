/// Replaces secrets on a tape: each value has one redaction token, wherever and under whatever name it appears again.
///
/// A text becomes `{{name-1}}`; a number becomes another one with as many digits, so that it fits the type it is decoded
/// as. The token of a token is itself: a replayed value matches the tape when it is sent again.
package struct RedactionTokens: Sendable {
    private var texts: [String: String] = [:]
    private var numbers: [String: String] = [:]
    private var counts: [String: Int] = [:]
    private var takenNumbers: Set<String> = []
    /// The last number assigned for a sign and a number of digits.
    private var lastNumbers: [String: Int] = [:]
    /// Whether numbers are already tokens, as on a tape that is replayed.
    package var isReading = false

    /// Shorter numbers are too common in texts.
    private static let shortestNumber = 4

    /// The token of a secret text: letters, digits and `-` in braces, or the number as which it first appeared.
    mutating func text(for value: String, named name: some StringProtocol) -> String {
        if let own = Self.own(value) { return own }
        if let known = texts[value] ?? numbers[value] { return known }
        if takenNumbers.contains(value) { return value }
        let kind = String(decoding: name.utf8.map(Self.plain), as: UTF8.self)
        let number = counts[kind, default: 0] + 1
        counts[kind] = number
        let token = "{{\(kind)-\(number)}}"
        texts[value] = token
        return token
    }

    mutating func number(for value: String) -> String {
        if takenNumbers.contains(value) { return value }
        if isReading {
            takenNumbers.insert(value)
            return value
        }
        if let known = numbers[value] { return known }
        let sign = value.hasPrefix("-") ? "-" : ""
        let digits = value.dropFirst(sign.count).prefix { $0.isWholeNumber }.count
        let token = freeNumber(digits: min(max(digits, 1), 18), sign)
        takenNumbers.insert(token)
        numbers[value] = token
        return token
    }

    private mutating func freeNumber(digits: Int, _ sign: String) -> String {
        let first = (1..<digits).reduce(1) { power, _ in power * 10 }
        var next = lastNumbers["\(sign)\(digits)"].map { min($0 + 1, first * 10 - 1) } ?? first + 1
        while next < first * 10 - 1, takenNumbers.contains("\(sign)\(next)") { next += 1 }
        lastNumbers["\(sign)\(digits)"] = next
        return "\(sign)\(next)"
    }

    package func known(_ value: some StringProtocol) -> String? {
        if texts.isEmpty && numbers.isEmpty { return nil }
        let value = String(value)
        return texts[value] ?? (value.utf8.count >= Self.shortestNumber ? numbers[value] : nil)
    }

    package var isEmpty: Bool { texts.isEmpty && numbers.isEmpty }

    /// Whether a number is a token and long enough to be unambiguous.
    package func isNumber(_ value: some StringProtocol) -> Bool {
        value.utf8.count >= Self.shortestNumber && takenNumbers.contains(String(value))
    }

    /// Reserves the numbers of the text tokens on a tape, so that no other secret gets one of them.
    package mutating func reserve(in text: some StringProtocol) {
        for token in Self.all(in: text) {
            let name = token.dropFirst(2).dropLast(2)
            guard let dash = name.lastIndex(of: "-"), let number = Int(name[name.index(after: dash)...]) else {
                continue
            }
            let kind = String(name[..<dash])
            counts[kind] = max(counts[kind, default: 0], number)
        }
    }

    package static func all(in text: some StringProtocol) -> [Substring] {
        var rest = Substring(text)
        guard rest.utf8.contains(UInt8(ascii: "{")) || rest.utf8.contains(UInt8(ascii: "%")) else { return [] }
        rest = Substring(plain(String(rest)))
        var found: [Substring] = []
        while let open = rest.firstRange(of: "{{") {
            let name = rest[open.upperBound...].prefix { $0 != "}" && $0 != "{" }
            let isEnded = rest[name.endIndex...].hasPrefix("}}")
            if isEnded, isName(name) {
                found.append(rest[open.lowerBound..<rest.index(name.endIndex, offsetBy: 2)])
            }
            rest = rest[open.upperBound...]
        }
        return found
    }

    /// A text with unencoded tokens, not encoded as in URLs.
    package static func plain(_ text: String) -> String {
        guard text.contains("%7B%7B") || text.contains("%7b%7b") else { return text }
        var result = ""
        var rest = Substring(text)
        while let percent = rest.utf8.firstIndex(of: UInt8(ascii: "%")) {
            result += rest[..<percent]
            rest = rest[percent...]
            let name = rest.dropFirst(6).prefix { $0 != "%" }
            let end = rest[name.endIndex...].prefix(6)
            if ["%7B%7B", "%7b%7b"].contains(rest.prefix(6)), ["%7D%7D", "%7d%7d"].contains(end), isName(name) {
                result += "{{\(name)}}"
                rest = rest[end.endIndex...]
            } else {
                result += "%"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    package static func inURL(_ token: String) -> String {
        token.hasPrefix("{{") ? "%7B%7B\(token.dropFirst(2).dropLast(2))%7D%7D" : token
    }

    private static func own(_ value: String) -> String? {
        let value = plain(value)
        guard value.hasPrefix("{{"), value.hasSuffix("}}"), isName(value.dropFirst(2).dropLast(2)) else { return nil }
        return value
    }

    private static func isName(_ name: Substring) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { plain($0) == $0 }
    }

    private static func plain(_ byte: UInt8) -> UInt8 {
        SecretPattern.isAlphanumeric(byte) ? Headers.lowered(byte) : UInt8(ascii: "-")
    }
}
