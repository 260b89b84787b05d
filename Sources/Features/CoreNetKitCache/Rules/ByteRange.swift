/// A single requested range of bytes (RFC 9110, 14.1.2).
package enum ByteRange: Sendable, Hashable {
    /// From one position through another; `nil` for the end.
    case from(Int64, through: Int64?)
    /// The last bytes.
    case suffix(Int64)

    /// Parses `bytes=0-4`, `bytes=5-`, `bytes=-5`; `nil` for several ranges and other units.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let range = ListField.trimmed(parts[1])
        guard let dash = range.firstIndex(of: "-") else { return nil }
        let (first, last) = (range[..<dash], range[range.index(after: dash)...])
        let through = Self.number(last)
        guard through != nil || last.isEmpty else { return nil }
        if first.isEmpty {
            guard let through, through > 0 else { return nil }
            self = .suffix(through)
        } else {
            guard let from = Self.number(first), through.map({ $0 >= from }) ?? true else { return nil }
            self = .from(from, through: through)
        }
    }

    /// The positions inside content of this length; `nil` if none is inside.
    package func positions(in length: Int64) -> Range<Int64>? {
        switch self {
        case .suffix(let count): length > 0 ? max(0, length - count)..<length : nil
        case .from(let from, let through):
            from < length ? from..<min(length, (through ?? length - 1).addingReportingOverflow(1).partialValue) : nil
        }
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return nil
        }
        return Int64(text)
    }
}
