/// The parsed head of a response, before any of its fields becomes a string.
package struct ResponseHead: Sendable {
    /// 100 to 999.
    package let status: Int
    /// Whether it is HTTP/1.0, which keeps connections only if a field says so.
    package let isOld: Bool
    package let framing: BodyFraming
    package let codings: ContentCodings
    /// Whether the connection may carry another request after the response (RFC 9112, 9.3).
    package let keepsConnection: Bool
    /// For how long it says that it keeps it.
    package let keepAlive: KeepAlive.Field

    /// The head of a response over HTTP/2 or 3, where the stream marks the content's end: its lines, after a first one.
    package init(status: Int, lines: UnsafeRawBufferPointer) {
        var fields = FramingFields()
        var position = (ASCII.find(0x0A, in: lines, from: 0) ?? lines.count - 1) + 1
        while let (line, next) = FieldLine.checked(lines, from: position) {
            fields.note(line, in: lines)
            position = next
        }
        (self.status, isOld, codings, keepsConnection) = (status, false, fields.codings, true)
        keepAlive = .init()
        if case .bytes(let count) = fields.length { framing = .length(count) } else { framing = .chunked }
    }

    init(_ line: StatusLine, _ fields: FramingFields, isToHead: Bool) throws(WireFault) {
        (status, isOld, codings, keepAlive) = (line.status, line.isOld, fields.codings, fields.keepAlive)
        framing = try BodyFraming(status: line.status, fields, isToHead: isToHead)
        let isWanted = !fields.hasClose && (!line.isOld || fields.hasKeepAlive)
        // A coding beside a length or in HTTP/1.0, or differing lengths: such a sender gets no other request.
        let isDoubtful = fields.hasTransferCoding && (fields.length != .none || line.isOld) || fields.length == .invalid
        keepsConnection = isWanted && !isDoubtful && framing.isDelimited
    }
}

/// The first line of a response (RFC 9112, 4).
struct StatusLine: Sendable {
    let status: Int
    let isOld: Bool

    init() { (status, isOld) = (0, false) }

    init(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) throws(WireFault) {
        let start = line.lowerBound
        guard line.count >= 5, ASCII.has("HTTP/", bytes, start) else { throw .startLine }
        guard line.count >= 9, ASCII.has("1.", bytes, start + 5), bytes[start + 8] == 0x20,
            (0x30...0x39).contains(bytes[start + 7])
        else { throw .version }
        // Without a reason, the space before it may be missing.
        guard line.count == 12 || (line.count > 12 && bytes[start + 12] == 0x20),
            let status = ASCII.number(bytes, start + 9..<start + 12), status >= 100
        else { throw .startLine }
        try FieldLine.checkValue(bytes, start + 12..<line.upperBound)
        self.status = Int(status)
        isOld = bytes[start + 7] == 0x30
    }

    /// Whether bytes may be the beginning of such a line: others are refused before the line is complete.
    static func mayBegin(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> WireFault? {
        let text: StaticString = "HTTP/1."
        for index in 0..<min(text.utf8CodeUnitCount, bytes.count - start)
        where bytes[start + index] != text.utf8Start[index] {
            return index < 5 ? .startLine : .version
        }
        return nil
    }
}

/// How the end of content is determined (RFC 9112, 6.3).
package enum BodyFraming: Hashable, Sendable {
    case none
    case length(Int64)
    case chunked
    /// The connection's end is the content's: missing content cannot be noticed.
    case untilClose

    package var isDelimited: Bool { self != .untilClose }
}

extension BodyFraming {
    /// The framing of a response, following the order of that section.
    package init(status: Int, _ fields: FramingFields, isToHead: Bool) throws(WireFault) {
        if isToHead || status < 200 || status == 204 || status == 304 {
            self = .none
        } else if fields.hasTransferCoding {
            // A length next to it is ignored. Without `chunked` at the end, 6.3 lets content last until the close, but it
            // would still have its coding: no request asks for one (6.1; RFC 9110, 10.1.4), and `chunked` with parameters
            // is an error (7.1). `identity`, which changes nothing, is accepted.
            guard !fields.hasOtherCoding else { throw .transferCoding }
            self = fields.isChunked ? .chunked : .untilClose
        } else {
            switch fields.length {
            case .none: self = .untilClose
            case .bytes(let count): self = .length(count)
            case .invalid: throw .contentLength
            }
        }
    }
}
