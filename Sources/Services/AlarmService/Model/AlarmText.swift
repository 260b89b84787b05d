public import CoreNetKitEssentials

/// The text of an alarm in segments, with the name of its sender highlighted.
///
/// The server writes the name as `<name>`. The first such place is matched character by character, never by a search for
/// the bare name, which may also occur in the message. The brackets are removed; every other character stays. Two server
/// habits are supported: brackets as `&lt;` and `&gt;`, if the whole message is escaped, and a name truncated with an
/// ellipsis (`<kim…>`). A message of more than 16 KiB is not searched: like a message without a name, it is one segment.
public struct AlarmText: Sendable, Hashable {
    /// A part of the text.
    public struct Segment: Sendable, Hashable {
        /// The characters.
        public let text: String
        /// Whether it is the name.
        public let isHighlighted: Bool

        /// Creates a segment; text directions that it opens are closed at its end, so that a name cannot reorder the
        /// message.
        public init(_ text: String, isHighlighted: Bool = false) {
            self.text = text + text.openDirections
            self.isHighlighted = isHighlighted
        }
    }

    /// The parts in order; none is empty.
    public let segments: [Segment]

    /// Finds the name in a message.
    ///
    /// - Parameters:
    ///   - message: The message, with the name between `<` and `>`.
    ///   - nick: The name.
    ///   - head: A text to append; after `": "` if the name was found.
    ///   - plainSeparator: The text before `head` if the name was not found.
    public init(message: String, nick: String, head: String = "", plainSeparator: String = "") {
        guard let found = NameSearch.find(nick, in: message) else {
            let text = head.isEmpty ? message : message + plainSeparator + head
            segments = text.isEmpty ? [] : [Segment(text)]
            return
        }
        let tail = found.after + (head.isEmpty ? "" : ": " + head)
        segments = [Segment(found.before), Segment(found.name, isHighlighted: true), Segment(tail)]
            .filter { !$0.text.isEmpty }
    }

    /// The text without highlighting.
    public var plain: String { segments.map(\.text).joined() }

    /// The range of the name in UTF-16 units, as `NSRange` counts; `nil` if it was not found.
    public var highlightedRange: Range<Int>? {
        var start = 0
        for segment in segments {
            let end = start + segment.text.utf16.count
            if segment.isHighlighted { return start..<end }
            start = end
        }
        return nil
    }
}

extension String {
    /// The marks that close the directions left open in the text (UAX 9: U+202A…U+202E, U+2066…U+2069).
    fileprivate var openDirections: String {
        var open: [Unicode.Scalar] = []
        var isolates = 0
        for scalar in unicodeScalars where (0x202A...0x2069).contains(scalar.value) {
            switch scalar.value {
            case 0x202A, 0x202B, 0x202D, 0x202E: open.append("\u{202C}")
            case 0x2066, 0x2067, 0x2068:
                open.append("\u{2069}")
                isolates += 1
            case 0x202C: if open.last == scalar { open.removeLast() }
            // Ignored unless an isolate is open, to avoid a search.
            case 0x2069 where isolates > 0:
                if let isolate = open.lastIndex(of: scalar) { open.removeSubrange(isolate...) }
                isolates -= 1
            default: break
            }
        }
        return String(String.UnicodeScalarView(open.reversed()))
    }
}

/// Finds the name of an alarm's sender in its message, in linear time.
enum NameSearch {
    typealias Found = (before: String, name: String, after: String)

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
        return (String(text[..<start]), nick, String(text[(start + marker.count)...]))
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
            (String(text[..<start]), String(text[(start + 1)..<end]), String(text[min(end + 1, text.count)...]))
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
        return entities.reduce(text) { text, entity in text.replacing(entity.0, with: entity.1) }
    }
}

extension AttributedString {
    /// Creates the text with attributes for the name, such as a colour and a bold font.
    public init(_ text: AlarmText, highlight: AttributeContainer) {
        self = text.segments.reduce(into: AttributedString()) { whole, segment in
            let attributes = segment.isHighlighted ? highlight : AttributeContainer()
            whole += AttributedString(segment.text, attributes: attributes)
        }
    }
}
