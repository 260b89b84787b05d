/// The text of an alarm in segments, the name of its sender highlighted.
///
/// The server writes the name as `<name>`. The first such place is found character by character, never by a search for
/// the bare name, which may occur in the message as well; the brackets go, every other character stays.
public struct AlarmText: Sendable, Hashable {
    /// A part of the text.
    public struct Segment: Sendable, Hashable {
        /// The characters.
        public let text: String
        /// Whether it is the name.
        public let isHighlighted: Bool

        /// Creates a segment.
        public init(_ text: String, isHighlighted: Bool = false) {
            self.text = text
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
        guard let (before, after) = Self.split(message, around: nick) else {
            let text = head.isEmpty ? message : message + plainSeparator + head
            segments = text.isEmpty ? [] : [Segment(text)]
            return
        }
        let tail = after + (head.isEmpty ? "" : ": " + head)
        segments = [Segment(before), Segment(nick, isHighlighted: true), Segment(tail)].filter { !$0.text.isEmpty }
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

    private static func split(_ message: String, around nick: String) -> (before: String, after: String)? {
        guard !nick.isEmpty else { return nil }
        let marker = Array("<" + nick + ">")
        var start = message.startIndex
        while let found = message[start...].firstIndex(of: marker[0]) {
            if let end = endOfMatch(of: marker, in: message[found...]) {
                return (String(message[..<found]), String(message[end...]))
            }
            start = message.index(after: found)
        }
        return nil
    }

    private static func endOfMatch(of marker: [Character], in text: Substring) -> String.Index? {
        var index = text.startIndex
        for character in marker {
            guard index < text.endIndex, text[index] == character else { return nil }
            index = text.index(after: index)
        }
        return index
    }
}
