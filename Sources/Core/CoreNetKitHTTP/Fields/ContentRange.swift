/// The range of a representation in a response (RFC 9110, 14.4).
package struct ContentRange: Sendable, Hashable {
    /// The positions of its bytes; never empty, and inside the representation.
    package let positions: Range<Int64>
    /// The length of the representation; `nil` if the server does not know it.
    package let total: Int64?

    package init(_ positions: Range<Int64>, of total: Int64?) { (self.positions, self.total) = (positions, total) }

    /// Parses `bytes 0-4/10`, `bytes 0-4/*`; `nil` for other units and several lines.
    package init?(_ headers: Headers) {
        guard var scanner = Self.scanner(headers), let first = scanner.number(), scanner.take("-"),
            let last = scanner.number(), first <= last, scanner.take("/")
        else { return nil }
        self.init(first..<(last + 1), of: scanner.number())
        guard total.map({ last < $0 }) ?? scanner.take("*"), scanner.isAtEnd else { return nil }
    }

    /// The length of the representation if no requested byte is inside it: `bytes */10`.
    package static func totalOfNone(_ headers: Headers) -> Int64? {
        guard var scanner = scanner(headers), scanner.take("*"), scanner.take("/") else { return nil }
        let total = scanner.number()
        return scanner.isAtEnd ? total : nil
    }

    private static func scanner(_ headers: Headers) -> FieldScanner? {
        let lines = headers[values: "Content-Range"]
        guard lines.count == 1 else { return nil }
        var scanner = FieldScanner(lines[0])
        guard scanner.text(upTo: " ").lowercased() == "bytes" else { return nil }
        scanner.skipSpace()
        return scanner
    }

    /// Whether it is the complete representation.
    package var isWhole: Bool { positions.lowerBound == 0 && positions.upperBound == total }

    /// The value of the field.
    package var text: String {
        "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(total.map(String.init) ?? "*")"
    }

    /// The positions of both, if there is no gap between them.
    package func joined(with other: ContentRange) -> ContentRange? {
        guard total == other.total, positions.lowerBound <= other.positions.upperBound,
            other.positions.lowerBound <= positions.upperBound
        else { return nil }
        let start = min(positions.lowerBound, other.positions.lowerBound)
        return ContentRange(start..<max(positions.upperBound, other.positions.upperBound), of: total)
    }
}
