import CoreNetKitHTTP

/// A single requested range of bytes (RFC 9110, 14.1.2).
package enum ByteRange: Sendable, Hashable {
    /// From one position through another; `nil` for the end.
    case from(Int64, through: Int64?)
    case suffix(Int64)

    /// Parses `bytes=0-4`, `bytes=5-`, `bytes=-5`; `nil` for several ranges and other units.
    package init?(_ text: String) {
        var scanner = FieldScanner(text)
        guard scanner.text(upTo: "=").lowercased() == "bytes", scanner.take("=") else { return nil }
        scanner.skipSpace()
        let first = scanner.text(upTo: "-")
        guard scanner.take("-") else { return nil }
        let last = scanner.text(upTo: " \t")
        scanner.skipSpace()
        let through = FieldScanner.length(last)
        guard scanner.isAtEnd, through != nil || last.isEmpty else { return nil }
        if first.isEmpty {
            guard let through, through > 0 else { return nil }
            self = .suffix(through)
        } else {
            guard let from = FieldScanner.length(first), through.map({ $0 >= from }) ?? true else { return nil }
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
}

/// Comparison of entity tags, which are stored as they were sent (RFC 9110, 8.8.3.2).
package enum EntityTag {
    /// Whether the tag promises that the bytes are the same.
    package static func isStrong(_ tag: String) -> Bool { !tag.isEmpty && !tag.hasPrefix("W/") }

    package static func matchesStrongly(_ left: String, _ right: String) -> Bool { isStrong(left) && left == right }

    /// Whether both are equal, ignoring weakness.
    package static func matchesWeakly(_ left: String, _ right: String) -> Bool {
        !left.isEmpty && opaque(left) == opaque(right)
    }

    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
