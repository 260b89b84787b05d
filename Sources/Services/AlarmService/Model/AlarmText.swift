/// The text of an alarm in segments, the name of its sender highlighted.
///
/// The server writes the name as `<name>`. The first such place is found character by character, never by a search for
/// the bare name, which may occur in the message as well; the brackets go, every other character stays. Two things that
/// servers do are understood: brackets as `&lt;` and `&gt;`, where the whole message is escaped, and a name cut to an
/// ellipsis (`<kim…>`). A message of more than 16 KiB is not searched: it is one segment, as a message without a name is.
public struct AlarmText: Sendable, Hashable {
    /// A part of the text.
    public struct Segment: Sendable, Hashable {
        /// The characters.
        public let text: String
        /// Whether it is the name.
        public let isHighlighted: Bool

        /// Creates a segment; a direction that its text opens ends with it, so that no name turns the message around.
        public init(_ text: String, isHighlighted: Bool = false) {
            self.text = text + text.openDirections
            self.isHighlighted = isHighlighted
        }
    }

    /// The parts in order; none is empty.
    public let segments: [Segment]

    /// Finds the name.
    ///
    /// - Parameters:
    ///   - message: The message, the name between `<` and `>`.
    ///   - nick: The name.
    ///   - head: A text that is added: behind `": "` when the name was found.
    ///   - plainSeparator: What stands in front of `head` when the name was not found.
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

    /// The text without marks.
    public var plain: String { segments.map(\.text).joined() }

    /// Where the name is, in UTF-16 units as `NSRange` counts; `nil` when it was not found.
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
    /// What ends the directions that the text opens and does not end (UAX 9: U+202A…U+202E, U+2066…U+2069).
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
            // Where none is open nobody looks for one.
            case 0x2069 where isolates > 0:
                if let isolate = open.lastIndex(of: scalar) { open.removeSubrange(isolate...) }
                isolates -= 1
            default: break
            }
        }
        return String(String.UnicodeScalarView(open.reversed()))
    }
}
