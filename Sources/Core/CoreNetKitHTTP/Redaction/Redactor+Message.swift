extension Redactor {
    /// A human-readable text without the secrets of the URLs, `name=value` pairs, quoted members, elements and
    /// credentials in it.
    package mutating func message(_ text: String) -> String { message(text, isCut: false) }

    /// The same for a text whose end may be missing.
    mutating func message(_ text: String, isCut: Bool) -> String {
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

    /// The content of a secret element.
    private func content(of element: Substring?, _ gap: Substring, in rest: Substring) -> Substring? {
        guard let element, isSecretMember(element) else { return nil }
        if gap.last == ">" { return rest.prefix { $0 != "<" } }
        return gap.last == "<" && rest.hasPrefix("![CDATA[") ? rest.prefix { $0 != "]" } : nil
    }

    private static let separators = Set<Character>(" \t\r\n\"'<>(){}[],;=:&?")

    private mutating func shown(_ word: Substring, isCut: Bool) -> String {
        if SecretPattern.isToken(word, isCut: isCut), isSecret(value: word, isCut: isCut, at: "a word of a message") {
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

    private func isSecretMember(_ name: Substring) -> Bool { rules.verdict(member: String(name)) == .secret }

    /// The text up to its closing quotation mark; an escaped mark does not close it.
    private static func quoted(_ text: Substring, _ mark: Character) -> Substring {
        var index = text.startIndex
        while index < text.endIndex, text[index] != mark {
            if text[index] == "\\", text.index(after: index) < text.endIndex { index = text.index(after: index) }
            index = text.index(after: index)
        }
        return text[..<index]
    }

    /// The URL that begins here.
    private static func url(at text: Substring) -> Substring? {
        let schemes = ["http://", "https://", "ws://", "wss://"]
        guard text.first == "h" || text.first == "w", schemes.contains(where: text.hasPrefix) else { return nil }
        let url = text.prefix { !" \t\r\n\"'<>`".contains($0) }
        // A sentence's own punctuation is not part of it.
        var end = url.endIndex
        while end > url.startIndex, ".,;:)".contains(url[url.index(before: end)]) { end = url.index(before: end) }
        return url[..<end]
    }
}
