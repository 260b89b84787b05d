/// Finds the name of an alarm's sender in its message.
enum NameSearch {
    struct Found {
        let before: String
        let name: String
        let after: String
    }

    static func find(_ nick: String, in message: String) -> Found? {
        guard !nick.isEmpty else { return nil }
        if let found = exact(nick, in: message) ?? shortened(nick, in: message) { return found }
        guard message.contains("&lt;") else { return nil }
        let text = unescaped(message)
        return exact(nick, in: text) ?? exact(unescaped(nick), in: text) ?? shortened(nick, in: text)
    }

    private static func exact(_ nick: String, in message: String) -> Found? {
        let marker = Array("<" + nick + ">")
        for start in starts(in: message, of: marker[0]) {
            if let end = endOfMatch(of: marker[...], in: message[start...]) {
                return Found(before: String(message[..<start]), name: nick, after: String(message[end...]))
            }
        }
        return nil
    }

    /// A name that was cut and ends in an ellipsis, in the message or as the sender's own.
    private static func shortened(_ nick: String, in message: String) -> Found? {
        let own = stem(of: Substring(nick))
        for start in starts(in: message, of: "<") {
            let rest = message[message.index(after: start)...]
            guard let end = rest.firstIndex(of: ">") ?? (stem(of: rest) == nil ? nil : rest.endIndex) else { continue }
            let name = rest[..<end]
            let isCut = stem(of: name).map { nick.starts(with: $0) } ?? false
            guard isCut || own.map({ name.starts(with: $0) }) ?? false else { continue }
            let after = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
            return Found(before: String(message[..<start]), name: String(name), after: String(after))
        }
        return nil
    }

    /// What stands in front of an ellipsis at the end; `nil` when there is none, or nothing in front of it.
    private static func stem(of name: Substring) -> Substring? {
        for mark in ["…", "..."] where name.hasSuffix(mark) && name.count > mark.count {
            return name.dropLast(mark.count)
        }
        return nil
    }

    private static func starts(in message: String, of first: Character) -> some Sequence<String.Index> {
        message.indices.lazy.filter { message[$0] == first }
    }

    private static func endOfMatch(of marker: ArraySlice<Character>, in text: Substring) -> String.Index? {
        var index = text.startIndex
        for character in marker {
            guard index < text.endIndex, text[index] == character else { return nil }
            index = text.index(after: index)
        }
        return index
    }

    private static func unescaped(_ text: String) -> String {
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        return entities.reduce(text) { text, entity in
            text.split(separator: entity.0, omittingEmptySubsequences: false).joined(separator: entity.1)
        }
    }
}
