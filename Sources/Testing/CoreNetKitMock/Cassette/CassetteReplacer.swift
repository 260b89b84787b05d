import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Replaces known secrets wherever they appear as separate words, under any name.
///
/// Complements the rules of names: it finds the token of a login in the path of the next request.
struct CassetteReplacer {
    /// The kind of text, which determines the form of a redaction token.
    enum Kind {
        case text, url, json
    }

    let tokens: RedactionTokens
    /// Shorter secrets are not replaced: in responses a short one may be an ordinary word.
    let shortest: Int

    /// The minimum length for responses, which a program reads, and for requests, which are only compared.
    static let shortestOfResponse = 8
    static let shortestOfRequest = 4

    func replaced(_ text: String, as kind: Kind) -> String {
        guard !tokens.isEmpty, text.utf8.count >= shortest else { return text }
        let bytes = replaced(Array(text.utf8), as: kind)
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    func replaced(_ data: Data, as kind: Kind) -> Data {
        guard !tokens.isEmpty, data.count >= shortest else { return data }
        return replaced(Array(data), as: kind).map { Data($0) } ?? data
    }

    /// The bytes with redaction tokens; `nil` if there is nothing to replace.
    private func replaced(_ bytes: [UInt8], as kind: Kind) -> [UInt8]? {
        var output: [UInt8] = []
        var copied = 0
        var index = 0
        var isQuoted = false
        while index < bytes.count {
            guard Self.isWord(bytes[index]) else {
                if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
                // An escaped quote neither begins nor ends a text.
                if kind == .json, bytes[index] == UInt8(ascii: "\\") { index += 1 }
                index += 1
                continue
            }
            let end = bytes[index...].firstIndex { !Self.isWord($0) } ?? bytes.count
            for (range, token) in found(in: bytes, index..<end, kind, isQuoted: isQuoted) {
                output += bytes[copied..<range.lowerBound] + Array(token.utf8)
                copied = range.upperBound
            }
            index = end
        }
        return copied == 0 ? nil : output + bytes[copied...]
    }

    /// The secrets in a word: the whole word, or its parts between slashes, colons and equals signs.
    private func found(
        in bytes: [UInt8],
        _ word: Range<Int>,
        _ kind: Kind,
        isQuoted: Bool
    ) -> [(Range<Int>, String)] {
        guard word.count >= shortest else { return [] }
        if let token = token(of: bytes, word, kind, isQuoted: isQuoted) { return [(word, token)] }
        var found: [(Range<Int>, String)] = []
        for part in bytes[word].split(whereSeparator: { "/:=".utf8.contains($0) }) where part.count < word.count {
            let range = part.startIndex..<part.endIndex
            guard range.count >= shortest, let token = token(of: bytes, range, kind, isQuoted: isQuoted) else {
                continue
            }
            found.append((range, token))
        }
        return found
    }

    private func token(of bytes: [UInt8], _ range: Range<Int>, _ kind: Kind, isQuoted: Bool) -> String? {
        let word = String(decoding: bytes[range], as: UTF8.self)
        let decoded = word.utf8.contains(UInt8(ascii: "%")) ? PercentEncoding.decode(word) : word
        guard let token = tokens.known(word) ?? tokens.known(decoded) else { return nil }
        // After these characters a word is part of a URL, even in a text.
        let isInURL = range.lowerBound > 0 && "/?&=".utf8.contains(bytes[range.lowerBound - 1])
        if kind == .json, !isQuoted { return token.hasPrefix("{{") ? nil : token }
        return kind == .url || isInURL ? RedactionTokens.inURL(token) : token
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20: false
        default: !"\"'<>(){}[],;&?\\#".utf8.contains(byte)
        }
    }
}
