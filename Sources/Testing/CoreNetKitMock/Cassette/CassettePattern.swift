import CoreNetKitHTTP

/// A recorded request in which each redaction token matches any single value: an item, a segment, a text.
struct CassettePattern {
    /// The texts around the tokens of each part.
    private let parts: [[String]]

    init(_ key: CassetteKey, _ tokens: RedactionTokens) {
        parts = key.parts.map { Self.pieces(Self.withoutNumbers($0.text, tokens)) }
    }

    func matches(_ key: CassetteKey) -> Bool {
        parts.count == key.parts.count
            && zip(parts, key.parts).allSatisfy { Self.matches(Substring($1.text), $0) }
    }

    private static func pieces(_ text: String) -> [String] {
        var pieces: [String] = []
        var rest = Substring(text)
        while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
            let piece = String(rest[..<open.lowerBound])
            // Two consecutive tokens count as one.
            if !piece.isEmpty || pieces.isEmpty { pieces.append(piece) }
            rest = rest[close.upperBound...]
        }
        return pieces + [String(rest)]
    }

    /// Replaces numeric redaction tokens by textual ones.
    private static func withoutNumbers(_ text: String, _ tokens: RedactionTokens) -> String {
        var result = ""
        var rest = Substring(text)
        while let start = rest.firstIndex(where: isDigit) {
            let number = rest[start...].prefix(while: isDigit)
            let before = rest[..<start].last
            let isWord =
                before.map { !isLetter($0) } ?? true && rest[number.endIndex...].first.map { !isLetter($0) } ?? true
            result += rest[..<start] + (isWord && tokens.isNumber(number) ? "{{}}" : number)
            rest = rest[number.endIndex...]
        }
        return result + rest
    }

    private static func isDigit(_ character: Character) -> Bool { character >= "0" && character <= "9" }
    private static func isLetter(_ character: Character) -> Bool { character.isLetter || "-_.".contains(character) }

    private static func matches(_ text: Substring, _ pieces: [String]) -> Bool {
        guard let first = pieces.first, let last = pieces.last else { return text.isEmpty }
        guard pieces.count > 1 else { return text == first }
        guard text.hasPrefix(first) else { return false }
        var rest = text.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() {
            guard let range = rest.dropFirst().firstRange(of: piece), isValue(rest[..<range.lowerBound]) else {
                return false
            }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last) && isValue(rest.dropLast(last.count))
    }

    private static func isValue(_ text: Substring) -> Bool {
        !text.isEmpty && !text.utf8.contains { "/&?\n\",<> ".utf8.contains($0) }
    }
}
