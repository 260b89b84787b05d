/// Finds the name of an alarm's sender in its message, in linear time.
enum NameSearch {
    struct Found {
        let before: String
        let name: String
        let after: String
    }

    /// The longest message that is searched, in bytes; a longer one is shown unchanged.
    static let longestMessage = 16 << 10

    static func find(_ nick: String, in message: String) -> Found? {
        guard !nick.isEmpty, message.utf8.count <= longestMessage else { return nil }
        let text = Array(message)
        if let found = exact(nick, in: text) ?? shortened(nick, in: text) { return found }
        guard message.contains("&lt;") else { return nil }
        let plain = Array(unescaped(message))
        return exact(nick, in: plain) ?? exact(unescaped(nick), in: plain) ?? shortened(nick, in: plain)
    }

    private static func exact(_ nick: String, in text: [Character]) -> Found? {
        let marker = Array("<" + nick + ">")
        guard let start = agreement(of: marker, with: text).firstIndex(of: marker.count) else { return nil }
        return Found(before: String(text[..<start]), name: nick, after: String(text[(start + marker.count)...]))
    }

    /// Finds a truncated name that ends in an ellipsis, in the message or in the sender's name itself.
    private static func shortened(_ nick: String, in text: [Character]) -> Found? {
        let name = Array(nick)
        let own = stem(of: name[...])?.count
        let lengths = agreement(of: name, with: text)
        // A name without a closing bracket may be truncated together with the message.
        var end = stem(of: text[...]) == nil ? nil : text.count
        var found: (start: Int, end: Int)?
        for start in text.indices.reversed() {
            if text[start] == ">" { end = start }
            guard text[start] == "<", let end, start + 1 < end else { continue }
            let candidate = text[(start + 1)..<end]
            guard end < text.count || stem(of: candidate) != nil else { continue }
            let isCut = stem(of: candidate).map { $0.count <= lengths[start + 1] } ?? false
            let isOwn = own.map { $0 <= min(lengths[start + 1], candidate.count) } ?? false
            if isCut || isOwn { found = (start, end) }
        }
        return found.map { start, end in
            Found(
                before: String(text[..<start]),
                name: String(text[(start + 1)..<end]),
                after: String(text[min(end + 1, text.count)...])
            )
        }
    }

    /// The text before an ellipsis at the end; `nil` if there is no ellipsis, or no text before it.
    private static func stem(of name: ArraySlice<Character>) -> ArraySlice<Character>? {
        for mark in ["…", "..."] where name.count > mark.count && name.suffix(mark.count).elementsEqual(mark) {
            return name.dropLast(mark.count)
        }
        return nil
    }

    /// Computes for each position of a text how much of the pattern matches there, by the Z algorithm.
    ///
    /// The first round matches the pattern with itself; the second uses the result to skip comparisons.
    static func agreement<Element: Equatable>(of pattern: [Element], with text: [Element]) -> [Int] {
        var lengths = [pattern.count]
        let all = [pattern, text]
        var own: [Int] = []
        for (round, text) in all.enumerated() {
            // The start and end of the last match with the pattern.
            var (left, right) = (0, 0)
            if round == 1 { (own, lengths) = (lengths, []) }
            for place in lengths.count..<max(text.count, lengths.count) {
                let known = place < right ? (round == 0 ? lengths : own)[place - left] : 0
                var length = min(known, max(right - place, 0))
                while length < pattern.count, place + length < text.count, pattern[length] == text[place + length] {
                    length += 1
                }
                lengths.append(length)
                if place + length > right { (left, right) = (place, place + length) }
            }
        }
        return lengths
    }

    private static func unescaped(_ text: String) -> String {
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        return entities.reduce(text) { text, entity in
            text.split(separator: entity.0, omittingEmptySubsequences: false).joined(separator: entity.1)
        }
    }
}
