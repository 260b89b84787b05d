package import CoreNetKitHTTP

/// Finds and checks the lines of a head, or of trailers, as they arrive (RFC 9112, 2.2 and 5); no byte is read twice.
package struct FieldSection: Sendable {
    package private(set) var framing = FramingFields()
    private let limits: WireLimits
    /// Where the next line begins, and how far its end was searched: relative to the section's first byte.
    private var lineStart = 0
    private var scannedCount = 0
    private var count = 0
    /// Whether a folded line would continue a field that determines the content's length.
    private var isFraming = false

    package init(_ limits: WireLimits = WireLimits()) { self.limits = limits }

    /// Continues with all bytes of the section so far: its size, with the empty line that ends it; `nil` if more are
    /// needed.
    package mutating func read(_ section: UnsafeRawBufferPointer) throws(WireFault) -> Int? {
        while true {
            // Most lines are complete and plain: one pass over their bytes.
            if scannedCount == lineStart, let (field, end) = FieldLine.plain(section, from: lineStart) {
                (lineStart, scannedCount) = (end, end)
                guard end <= limits.head else { throw .tooLarge }
                count += 1
                guard count <= limits.fields else { throw .tooLarge }
                isFraming = framing.note(field, in: section)
                continue
            }
            guard let end = ASCII.find(0x0A, in: section, from: scannedCount) else { break }
            let hasReturn = end > lineStart && section[end - 1] == 0x0D
            let line = lineStart..<(hasReturn ? end - 1 : end)
            (lineStart, scannedCount) = (end + 1, end + 1)
            guard lineStart <= limits.head else { throw .tooLarge }
            if line.isEmpty { return lineStart }
            try check(line, in: section)
        }
        scannedCount = section.count
        guard scannedCount <= limits.head else { throw .tooLarge }
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

/// Makes fields from a head's lines, whose bytes were checked on arrival.
package enum HeaderLines {
    /// Reads all field lines, with `skipsFirst` those behind a status line or a request line; bytes that are not UTF-8
    /// are Latin-1, a folded line is appended after one space, and one without a colon is skipped.
    package static func fields(in bytes: UnsafeRawBufferPointer, skipsFirst: Bool) -> [Headers.Field] {
        var fields: [Headers.Field] = []
        fields.reserveCapacity(12)
        var start = skipsFirst ? lineEnd(in: bytes, from: 0) + 1 : 0
        while start < bytes.count {
            let end = lineEnd(in: bytes, from: start)
            defer { start = end + 1 }
            guard end > start else { continue }
            if ASCII.isBlank(bytes[start]) {
                fold(ASCII.trimmed(bytes, start..<end), of: bytes, into: &fields)
            } else if let colon = ASCII.find(UInt8(ascii: ":"), in: bytes, from: start), colon < end {
                let name = ASCII.trimmed(bytes, start..<colon)
                guard !name.isEmpty else { continue }
                let value = ASCII.text(bytes, ASCII.trimmed(bytes, colon + 1..<end))
                fields.append(Headers.Field(name: ASCII.text(bytes, name), value: value))
            }
        }
        return fields
    }

    /// The text after the status code of a head that starts with its status line.
    package static func reason(in head: UnsafeRawBufferPointer) -> String {
        let end = lineEnd(in: head, from: 0)
        guard let first = ASCII.find(0x20, in: head, from: 0), first < end,
            let second = ASCII.find(0x20, in: head, from: first + 1), second < end
        else { return "" }
        return ASCII.text(head, ASCII.trimmed(head, second + 1..<end))
    }

    private static func fold(_ more: Range<Int>, of bytes: UnsafeRawBufferPointer, into fields: inout [Headers.Field]) {
        guard let last = fields.indices.last, !more.isEmpty else { return }
        let text = ASCII.text(bytes, more)
        fields[last].value += fields[last].value.isEmpty ? text : " " + text
    }

    private static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        ASCII.find(0x0A, in: bytes, from: start) ?? bytes.count
    }
}
