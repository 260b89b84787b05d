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

        /// Creates a segment; text directions that it opens are closed at its end, so that a name cannot reorder the message.
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
