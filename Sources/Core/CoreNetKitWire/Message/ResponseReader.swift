/// Reads one HTTP/1.1 response, and the interim ones before it, from bytes that its caller has received (RFC 9112).
///
/// Its events name ranges of the given bytes; bytes that are not consumed must be passed again, followed by more. Bytes
/// after ``Event/end`` belong to no response, and end the connection (RFC 9112, 9.2).
package struct ResponseReader: Sendable {
    package enum Event: Sendable {
        /// More bytes are needed; those after the position are the beginning of something.
        case needsMore
        case interim(Range<Int>, status: Int)
        /// The head; ``ResponseReader/head`` has its meaning.
        case head(Range<Int>)
        case content(Range<Int>)
        /// The message has ended; the range of its trailer lines, if any.
        case end(trailers: Range<Int>)
        /// The head of a 101: from here on the connection speaks another protocol; its bytes are content to the end.
        case switched(Range<Int>)
        case fault(WireFault)
    }

    private enum Phase: Sendable {
        case startLine, fields, length, chunks, untilClose, over
    }

    /// The meaning of the final head, once it has arrived.
    package private(set) var head: ResponseHead?
    package private(set) var hasBegun = false
    private let isToHead: Bool
    private let expectsUpgrade: Bool
    private let limits: WireLimits
    private var phase = Phase.startLine
    private var line = StatusLine()
    /// Bytes of the first line, including its end.
    private var lineCount = 0
    /// Content still expected, by `Content-Length`.
    private var remaining: Int64 = 0
    private var chunks: ChunkReader
    private var section: FieldSection
    private var scannedCount = 0
    private var headBytes = 0

    /// With `expectsUpgrade`, the request asked for another protocol.
    package init(isToHead: Bool = false, expectsUpgrade: Bool = false, limits: WireLimits = WireLimits()) {
        (self.isToHead, self.expectsUpgrade, self.limits) = (isToHead, expectsUpgrade, limits)
        section = FieldSection(limits)
        chunks = ChunkReader(limits)
    }

    /// A reader for a connection that speaks another protocol from its first byte on.
    package static var behindSwitch: ResponseReader {
        var reader = ResponseReader(expectsUpgrade: true)
        reader.phase = .untilClose
        return reader
    }

    /// Continues reading at `position`, which is moved past consumed bytes; not after the end or a fault.
    package mutating func next(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Event {
        if !hasBegun, position < bytes.count { hasBegun = true }
        switch phase {
        case .startLine, .fields:
            do throws(WireFault) {
                return try readHead(bytes, &position)
            } catch {
                return fault(error)
            }
        case .length:
            let count = min(remaining, Int64(bytes.count - position))
            guard count > 0 else { return remaining == 0 ? end() : .needsMore }
            remaining -= count
            return content(Int(count), &position)
        case .chunks:
            switch chunks.next(bytes, &position) {
            case .needsMore: return .needsMore
            case .content(let range): return .content(range)
            case .end(let trailers): return end(trailers)
            case .fault(let fault): return self.fault(fault)
            }
        case .untilClose:
            guard position < bytes.count else { return .needsMore }
            return content(bytes.count - position, &position)
        case .over: return .needsMore
        }
    }

    /// The number of following bytes that are content, whatever they contain; unlimited to the connection's end.
    package var plainContent: Int64 {
        switch phase {
        case .length: remaining
        case .untilClose: .max
        case .chunks: chunks.plainContent
        case .startLine, .fields, .over: 0
        }
    }

    /// Notes content that was consumed from the connection without parsing: at most ``plainContent``.
    package mutating func took(_ count: Int) {
        switch phase {
        case .length: remaining -= Int64(count)
        case .chunks: chunks.took(count)
        case .startLine, .fields, .untilClose, .over: break
        }
    }

    /// The connection has ended: ``Event/end`` if that is the content's end, otherwise the fault.
    package mutating func close() -> Event {
        switch phase {
        case .startLine, .fields: fault(hasBegun ? .cutHead : .noResponse)
        case .length where remaining == 0: end()
        case .length, .chunks: fault(.cutContent)
        case .untilClose: end()
        case .over: .needsMore
        }
    }

    private mutating func end(_ trailers: Range<Int> = 0..<0) -> Event {
        phase = .over
        return .end(trailers: trailers)
    }

    private mutating func fault(_ fault: WireFault) -> Event {
        phase = .over
        return .fault(fault)
    }

    private func content(_ count: Int, _ position: inout Int) -> Event {
        defer { position += count }
        return .content(position..<position + count)
    }
}

extension ResponseReader {
    private mutating func readHead(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) throws(WireFault) -> Event {
        if phase == .startLine {
            guard let end = ASCII.find(0x0A, in: bytes, from: position + scannedCount) else {
                if let fault = StatusLine.mayBegin(bytes, position) { throw fault }
                scannedCount = bytes.count - position
                guard headBytes + scannedCount <= limits.head else { throw .tooLarge }
                return .needsMore
            }
            let hasReturn = end > position && bytes[end - 1] == 0x0D
            line = try StatusLine(bytes, position..<(hasReturn ? end - 1 : end))
            (lineCount, phase) = (end + 1 - position, .fields)
        }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[(position + lineCount)...])
        guard let count = try section.read(rest) else { return .needsMore }
        let whole = position..<position + lineCount + count
        headBytes += whole.count
        guard headBytes <= limits.head else { throw .tooLarge }
        position = whole.upperBound
        (scannedCount, phase) = (0, .startLine)
        return try tookHead(whole)
    }

    private mutating func tookHead(_ whole: Range<Int>) throws(WireFault) -> Event {
        if line.status == 101 {
            guard expectsUpgrade else { throw .unaskedUpgrade }
            phase = .untilClose
            return .switched(whole)
        }
        guard line.status >= 200 else {
            section = FieldSection(limits)
            return .interim(whole, status: line.status)
        }
        let head = try ResponseHead(line, section.framing, isToHead: isToHead)
        self.head = head
        switch head.framing {
        case .none: phase = .length
        case .length(let count): (phase, remaining) = (.length, count)
        case .chunked: phase = .chunks
        case .untilClose: phase = .untilClose
        }
        return .head(whole)
    }
}
