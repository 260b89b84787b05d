/// Finds and checks the field lines of a head, or of trailers, as their bytes arrive (RFC 9112, 2.2 and 5).
///
/// No byte is read twice, however small the pieces are; only positions are kept.
package struct FieldSection: Sendable {
    package private(set) var framing = FramingFields()
    private let limits: WireLimits
    /// Where the next line begins, and how far its end was searched: relative to the section's first byte.
    private var lineStart = 0
    private var searched = 0
    private var count = 0
    /// Whether a folded line would continue a field that determines the content's length.
    private var isFraming = false

    package init(_ limits: WireLimits = WireLimits()) { self.limits = limits }

    /// Continues reading.
    ///
    /// - Parameter section: All bytes of the section so far, including those of earlier calls.
    /// - Returns: The section's size, including the empty line that ends it; `nil` if more bytes are needed.
    /// - Throws: ``WireFault``.
    package mutating func read(_ section: UnsafeRawBufferPointer) throws(WireFault) -> Int? {
        while true {
            // Most lines are complete and plain: one pass over their bytes.
            if searched == lineStart, let (field, end) = FieldLine.plain(section, from: lineStart) {
                (lineStart, searched) = (end, end)
                guard end <= limits.head else { throw .tooLarge }
                count += 1
                guard count <= limits.fields else { throw .tooLarge }
                isFraming = framing.note(field, in: section)
                continue
            }
            guard let end = ASCII.find(0x0A, in: section, from: searched) else { break }
            let hasReturn = end > lineStart && section[end - 1] == 0x0D
            let line = lineStart..<(hasReturn ? end - 1 : end)
            (lineStart, searched) = (end + 1, end + 1)
            guard lineStart <= limits.head else { throw .tooLarge }
            if line.isEmpty { return lineStart }
            try check(line, in: section)
        }
        searched = section.count
        guard searched <= limits.head else { throw .tooLarge }
        return nil
    }

    private mutating func check(_ line: Range<Int>, in section: UnsafeRawBufferPointer) throws(WireFault) {
        if ASCII.isBlank(section[line.lowerBound]) {
            guard count > 0, !isFraming else { throw .folding }
            return try FieldLine.checkValue(section, line)
        }
        count += 1
        guard count <= limits.fields else { throw .tooLarge }
        isFraming = framing.note(try FieldLine(section, line), in: section)
    }
}
