/// Members of comma-separated fields; a quoted string is one piece (RFC 9110, 5.6.1).
package enum ListField {
    /// The members of all lines in order, without surrounding white space and without empty ones.
    ///
    /// - Parameter lines: The field's lines.
    /// - Returns: The members; `nil` if a quoted string is not closed, because the text after it cannot be read.
    package static func members(of lines: [String]) -> [Substring]? {
        var members: [Substring] = []
        for line in lines where !append(line[...], to: &members) { return nil }
        return members
    }

    /// Text without white space at both ends.
    package static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.utf8.first, isBlank(first) { text.removeFirst() }
        while let last = text.utf8.last, isBlank(last) { text.removeLast() }
        return text
    }

    private static func append(_ line: Substring, to members: inout [Substring]) -> Bool {
        let bytes = line.utf8
        var start = bytes.startIndex
        var index = start
        var isQuoted = false
        while index < bytes.endIndex {
            let byte = bytes[index]
            if isQuoted {
                if byte == UInt8(ascii: "\\") {
                    index = bytes.index(after: index)
                    if index == bytes.endIndex { return false }
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isQuoted = true
            } else if byte == UInt8(ascii: ",") {
                add(line[start..<index], to: &members)
                start = bytes.index(after: index)
            }
            index = bytes.index(after: index)
        }
        add(line[start...], to: &members)
        return !isQuoted
    }

    private static func add(_ member: Substring, to members: inout [Substring]) {
        let member = trimmed(member)
        if !member.isEmpty { members.append(member) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
