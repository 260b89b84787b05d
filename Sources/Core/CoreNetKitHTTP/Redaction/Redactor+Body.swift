package import CoreNetKitEssentials
import CoreNetKitSystem

extension Redactor {
    /// Redacts content by the rules of its type; `nil` if the type is unknown, or the content does not match it.
    ///
    /// - Parameters:
    ///   - body: The content, decompressed; its end may be missing.
    ///   - type: The value of its `Content-Type`.
    ///   - limit: The maximum number of bytes to keep; truncation is marked.
    /// - Returns: JSON, one text or many, and forms without the values of secret members.
    package mutating func body(_ body: Data, type: String?, limit: Int = 64 << 10) -> Data? {
        guard !body.isEmpty else { return body }
        let media = (type ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        let shown: Data
        if media.hasSuffix("json") || media.hasSuffix("jsonl") || media.hasSuffix("jsonlines")
            || media.hasSuffix("json-seq")
        {
            if JSONRedaction.isJSON(body) {
                shown = Data(json(body))
            } else {
                // In other text, only a form shows where its secrets are.
                guard let text = String(validating: body, as: UTF8.self), Self.isForm(text) else { return nil }
                shown = Data(items(text).utf8)
            }
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

    /// The bytes of a complete or partial JSON text with the values of secret members replaced.
    package mutating func json(_ body: Data) -> [UInt8] { json(Array(body), depth: 0) }

    private mutating func json(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        var scanner = JSONRedaction(bytes, depth: depth)
        scanner.run(&self)
        return scanner.output
    }

    /// A nested text without its secrets: JSON, a URL, a form, a field line; `nil` if it has none.
    mutating func inner(_ text: String, isCut: Bool = false, depth: Int) -> String? {
        guard depth <= Self.mostDepth else { return nil }
        var shown = text
        if Self.isDocument(text) {
            shown = String(decoding: json(Array(text.utf8), depth: depth), as: UTF8.self)
        } else if Self.mayHoldSecrets(text) {
            shown = message(text, isCut: isCut)
        }
        shown = withoutTokens(shown, isCut: isCut)
        return shown == text ? nil : shown
    }

    /// Whether a text is items with names and nothing else: `token=1&x=2`.
    private static func isForm(_ text: String) -> Bool {
        text.split(separator: "&", omittingEmptySubsequences: false).allSatisfy { item in
            guard let equals = item.firstIndex(of: "="), equals > item.startIndex else { return false }
            return item.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"{\"".utf8.contains($0) }
        }
    }

    /// Whether a text begins like a non-empty object or list.
    static func isDocument(_ text: String) -> Bool {
        let marks = text.utf8.lazy.filter { $0 > 0x20 }.prefix(2)
        guard marks.count == 2, let first = marks.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        else { return false }
        return marks.dropFirst().first.map { "{[\"".utf8.contains($0) } ?? false
    }

    /// Whether a text contains a character that introduces a value.
    private static func mayHoldSecrets(_ text: String) -> Bool {
        text.utf8.contains { "=:<".utf8.contains($0) } || text.contains("earer ") || text.contains("asic ")
    }
}
