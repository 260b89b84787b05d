extension Redactor {
    /// A text for people without the secrets of URLs, `name=value` pairs, quoted members and credentials in it.
    package mutating func message(_ text: String) -> String {
        var result = ""
        var rest = Substring(text)
        while !rest.isEmpty {
            if let url = Self.url(at: rest) {
                result += self.url(String(url))
                rest = rest[url.endIndex...]
                continue
            }
            let word = rest.prefix { !Self.separators.contains($0) }
            result += shown(word)
            rest = rest[word.endIndex...]
            let gap = rest.prefix { Self.separators.contains($0) }
            result += gap
            rest = rest[gap.endIndex...]
            guard let secret = Self.secret(behind: word, gap, in: rest), !secret.isEmpty else { continue }
            result += replacement(of: secret, named: word)
            rest = rest[secret.endIndex...]
        }
        return result
    }

    private static let separators = Set<Character>(" \t\r\n\"'<>(){}[],;=:&?")

    private mutating func shown(_ word: Substring) -> String {
        guard SecretLook.isToken(word) else { return String(word) }
        hint("a word of a message")
        return replacement(of: word, named: "text")
    }

    /// The part that a word and what stands after it declare to be a secret.
    private static func secret(behind word: Substring, _ gap: Substring, in rest: Substring) -> Substring? {
        guard !word.isEmpty, let first = gap.first else { return nil }
        let name = word.lowercased()
        if gap == " ", name == "bearer" || name == "basic" {
            return rest.prefix { !separators.contains($0) || $0 == "=" }
        }
        let strength = SecretName.strength(word)
        if let mark = gap.last, mark == "\"" || mark == "'", strength == .strong || strength == .weak && first == "=" {
            return gap.contains(":") || first == "=" ? rest.prefix { $0 != mark } : nil
        }
        if first == "=", strength != .none { return rest.prefix { !separators.contains($0) } }
        // `token: the refresh failed` is a sentence, `Authorization: …` and `X-Api-Key: …` are field lines.
        guard first == ":", SecretName.isField(String(word)), name.contains("-") || lines.contains(name) else {
            return nil
        }
        return rest.prefix { $0 != "\n" && $0 != "\r\n" }
    }

    private static let lines: Set<String> = ["authorization", "cookie", "password"]

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
