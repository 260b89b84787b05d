package import CoreNetKitEssentials

extension Redactor {
    /// A human-readable text without the secrets of the URLs, `name=value` pairs, quoted members, elements and
    /// credentials in it; if it is cut, its end is missing.
    package mutating func message(_ text: String, isCut: Bool = false) -> String {
        var result = ""
        var rest = Substring(text)
        var element = Element()
        while !rest.isEmpty {
            if let url = Self.url(at: rest) {
                result += self.url(String(url), isCut: isCut && url.endIndex == rest.endIndex, depth: 1)
                rest = rest[url.endIndex...]
                continue
            }
            let word = rest.prefix { !Self.separators.contains($0) }
            result += shown(word, isCut: isCut && word.endIndex == rest.endIndex)
            rest = rest[word.endIndex...]
            let gap = rest.prefix { Self.separators.contains($0) }
            result += gap
            rest = rest[gap.endIndex...]
            let opened = element.opened(by: word, gap)
            guard let secret = content(of: opened, gap, in: rest) ?? secret(behind: word, gap, in: rest),
                !secret.isEmpty
            else { continue }
            result += replacement(of: secret, named: opened ?? word)
            rest = rest[secret.endIndex...]
        }
        return result
    }

    /// The element whose tag contains the words.
    private struct Element {
        private var name: Substring?
        private var isNext = false

        /// The name of the element whose tag ends after a word.
        mutating func opened(by word: Substring, _ gap: Substring) -> Substring? {
            if isNext { name = word }
            // A name after a prefix: `a:token`.
            isNext = gap.last == "<" || isNext && gap == ":"
            defer { if gap.contains(">") { name = isNext ? name : nil } }
            guard gap.contains(">"), !word.hasSuffix("/"), let name, !name.hasPrefix("/") else { return nil }
            return name
        }
    }

    private func content(of element: Substring?, _ gap: Substring, in rest: Substring) -> Substring? {
        guard let element, isSecretMember(element) else { return nil }
        if gap.last == ">" { return rest.prefix { $0 != "<" } }
        return gap.last == "<" && rest.hasPrefix("![CDATA[") ? rest.prefix { $0 != "]" } : nil
    }

    private static let separators = Set<Character>(" \t\r\n\"'<>(){}[],;=:&?")

    private mutating func shown(_ word: Substring, isCut: Bool) -> String {
        let isSuspicious = SecretPattern.isToken(word, isCut: isCut) || showsTexts && SecretPattern.isRandom(word)
        if isSuspicious, isSecret(value: word, isCut: isCut, at: "a word of a message") {
            return replacement(of: word, named: "text")
        }
        return withoutTokens(String(word), isCut: isCut)
    }

    /// The secret range that a word and the following text declare.
    private func secret(behind word: Substring, _ gap: Substring, in rest: Substring) -> Substring? {
        // `user[password]=`
        let gap = gap.drop { $0 == "[" || $0 == "]" }
        guard !word.isEmpty, let first = gap.first else { return nil }
        let name = word.lowercased()
        if gap == " ", SecretTable.schemes.contains(name) {
            return rest.prefix { !Self.separators.contains($0) || $0 == "=" }
        }
        if let mark = gap.last, mark == "\"" || mark == "'", first == "=" || gap.contains(":") {
            let isSecret = first == "=" ? isSecret(item: word) : isSecretMember(word)
            if isSecret { return Self.quoted(rest, mark) }
        }
        if first == "=" { return isSecret(item: word) ? rest.prefix { !Self.separators.contains($0) } : nil }
        // `token: the refresh failed` is a sentence, `Authorization: …` and `X-Api-Key: …` are field lines.
        guard first == ":", name.contains("-") || SecretTable.lines.contains(name),
            rules.verdict(field: String(word)) == .secret
        else { return nil }
        return rest.prefix { $0 != "\n" && $0 != "\r\n" }
    }

    func isSecretMember(_ name: Substring) -> Bool { rules.verdict(member: String(name)) == .secret }

    /// The text up to its closing quotation mark; an escaped mark does not close it.
    static func quoted(_ text: Substring, _ mark: Character) -> Substring {
        var index = text.startIndex
        while index < text.endIndex, text[index] != mark {
            if text[index] == "\\", text.index(after: index) < text.endIndex { index = text.index(after: index) }
            index = text.index(after: index)
        }
        return text[..<index]
    }

    private static func url(at text: Substring) -> Substring? {
        let schemes = ["http://", "https://", "ws://", "wss://"]
        guard text.first == "h" || text.first == "w", schemes.contains(where: text.hasPrefix) else { return nil }
        let url = text.prefix { !" \t\r\n\"'<>`".contains($0) }
        // A sentence's own punctuation is not part of it.
        var end = url.endIndex
        while end > url.startIndex, ".,;:)".contains(url[url.index(before: end)]) { end = url.index(before: end) }
        return url[..<end]
    }

    /// Redacts content by the rules of its type; `nil` if the type is unknown, or the content does not match it.
    ///
    /// The content is decompressed; if it is cut, its end is missing. More than `limit` bytes are cut, which is marked.
    package mutating func body(_ body: Data, type: String?, limit: Int = 64 << 10, isCut: Bool = false) -> Data? {
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
            guard var text = String(validating: body, as: UTF8.self)?[...] else { return nil }
            // Half a value may not be recognised as a secret.
            if isCut { text = text[...(text.lastIndex { $0 == "&" || $0 == "=" } ?? text.startIndex)] }
            shown = Data(items(text).utf8)
        } else {
            guard showsTexts, let text = text(body, media: media, isCut: isCut) else { return nil }
            shown = Data(text.utf8)
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
