package import CoreNetKitHTTP

/// The range of a representation in a 206 (RFC 9110, 14.4).
package struct ContentRange: Sendable, Hashable {
    /// The positions of its bytes; never empty, and inside the representation.
    package let positions: Range<Int64>
    /// The length of the representation.
    package let total: Int64

    package init(_ positions: Range<Int64>, of total: Int64) { (self.positions, self.total) = (positions, total) }

    /// Parses `bytes 0-4/10`; `nil` for other units, several lines and an unknown length.
    package init?(_ headers: Headers) {
        let lines = headers[values: "Content-Range"]
        guard lines.count == 1 else { return nil }
        let parts = lines[0].split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let sides = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = DeltaSeconds.length(String(ends[0])),
            let last = DeltaSeconds.length(String(ends[1])), let total = DeltaSeconds.length(String(sides[1])),
            first <= last, last < total
        else { return nil }
        self.init(first..<(last + 1), of: total)
    }

    /// Whether it is the complete representation.
    package var isWhole: Bool { positions == 0..<total }

    /// The value of the field.
    package var text: String { "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(total)" }

    /// The positions of both, if there is no gap between them.
    package func joined(with other: ContentRange) -> ContentRange? {
        guard total == other.total, positions.lowerBound <= other.positions.upperBound,
            other.positions.lowerBound <= positions.upperBound
        else { return nil }
        let start = min(positions.lowerBound, other.positions.lowerBound)
        return ContentRange(start..<max(positions.upperBound, other.positions.upperBound), of: total)
    }
}
