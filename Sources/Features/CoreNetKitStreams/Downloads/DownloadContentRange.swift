/// The value of a `Content-Range` field.
///
/// - SeeAlso: [RFC 9110, 14.4](https://www.rfc-editor.org/rfc/rfc9110#section-14.4)
package struct DownloadContentRange: Sendable, Hashable {
    /// The first and the last byte; `nil` for a range that could not be satisfied.
    package let bytes: ClosedRange<Int>?
    /// The size of the complete content; `nil` if the server does not know it.
    package let total: Int?

    /// Parses a field value; `nil` if it is malformed.
    package init?(parsing value: String) {
        let words = value.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        total = parts[1] == "*" ? nil : Self.number(parts[1])
        guard total != nil || parts[1] == "*" else { return nil }
        if parts[0] == "*" {
            bytes = nil
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            last < Int.max, total.map({ last < $0 }) ?? true
        else { return nil }
        bytes = first...last
    }

    /// Parses digits only; `nil` if the number is too large.
    static func number(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
