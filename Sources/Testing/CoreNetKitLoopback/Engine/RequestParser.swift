import CoreNetKitHTTP
import CoreNetKitWire

/// Parses requests from the bytes of one connection, incrementally.
struct RequestParser {
    struct Head {
        var method = HTTPMethod.get
        var target = ""
        var isPersistent = true
        var isHTTP10 = false
        var expectsContinue = false
        var isChunked = false
    }

    enum Step {
        case needsMore
        /// The head is complete; the body, if there is one, is not.
        case head
        case complete
        case malformed(status: Int, String)
    }

    private enum State {
        case head
        case fixed(Int)
        case chunks(ChunkReader)
        case complete
    }

    private static let limits = WireLimits()

    private(set) var head = Head()
    private(set) var bodyLength = 0
    private let limit: Int
    private var state = State.head
    private var requestLineLength = 0
    private var scannedCount = 0
    private var fieldSection = FieldSection(limits)
    private var raw: [UInt8] = []
    private var headLength = 0
    private var body: [UInt8] = []
    private var trailerRange = 0..<0

    init(bodyLimit: Int) { limit = bodyLimit }

    var isAtStart: Bool {
        if case .head = state { requestLineLength == 0 && scannedCount == 0 } else { false }
    }

    /// Returns the complete request and prepares for the next one.
    mutating func take(connection: Int) -> LoopbackRequest {
        defer { self = RequestParser(bodyLimit: limit) }
        return LoopbackRequest(
            connection: connection,
            method: head.method,
            target: head.target,
            bodyLength: bodyLength,
            rawBytes: raw,
            headLength: headLength,
            decodedBody: head.isChunked ? body : nil,
            trailerBytes: trailerRange
        )
    }

    /// The head of the request while its body is arriving.
    func preview(connection: Int) -> LoopbackRequest {
        var copy = self
        return copy.take(connection: connection)
    }

    /// Parses further bytes; advances `consumed` past those that are no longer needed.
    mutating func advance(_ bytes: UnsafeRawBufferPointer, consumed: inout Int) -> Step {
        switch state {
        case .head:
            do throws(WireFault) {
                return try readHead(bytes, &consumed) ? .head : .needsMore
            } catch {
                return Self.refusal(of: error)
            }
        case .fixed(let remaining):
            let count = min(remaining, bytes.count - consumed)
            capture(bytes, consumed..<consumed + count)
            bodyLength += count
            consumed += count
            state = count == remaining ? .complete : .fixed(remaining - count)
            return count == remaining ? .complete : .needsMore
        case .chunks(let reader): return readChunks(bytes, &consumed, reader)
        case .complete: return .complete
        }
    }

    private mutating func readChunks(
        _ bytes: UnsafeRawBufferPointer,
        _ consumed: inout Int,
        _ reader: ChunkReader
    ) -> Step {
        var reader = reader
        while true {
            let start = consumed
            let event = reader.next(bytes, &consumed)
            let before = raw.count
            capture(bytes, start..<consumed)
            switch event {
            case .needsMore:
                state = .chunks(reader)
                return .needsMore
            case .content(let range):
                bodyLength += range.count
                if body.count < limit { body.append(contentsOf: bytes[range].prefix(limit - body.count)) }
            case .end(let lines):
                // Only if all bytes of the body were kept.
                if raw.count == before + consumed - start { trailerRange = raw.count - lines.count..<raw.count }
                state = .complete
                return .complete
            case .fault(let fault): return Self.refusal(of: fault)
            }
        }
    }

    private mutating func capture(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        let room = limit == .max ? range.count : min(range.count, max(0, limit.saturatingAdd(headLength - raw.count)))
        if room > 0 { raw.append(contentsOf: bytes[range.lowerBound..<(range.lowerBound + room)]) }
    }

    private static func refusal(of fault: WireFault) -> Step {
        switch fault {
        case .version: .malformed(status: 505, "the version of the request is not HTTP/1.0 or HTTP/1.1")
        case .startLine: .malformed(status: 400, "the request line is not method, target and version")
        case .tooLarge: .malformed(status: 431, "the request head, or a line around a chunk, is too large")
        case .transferCoding: .malformed(status: 501, "only the transfer coding chunked is known")
        default: .malformed(status: 400, fault.message)
        }
    }

    // MARK: The head

    /// - Returns: Whether the head is complete.
    private mutating func readHead(_ bytes: UnsafeRawBufferPointer, _ consumed: inout Int) throws(WireFault) -> Bool {
        // Empty lines before a request are skipped (RFC 9112, 2.2).
        while requestLineLength == 0, scannedCount == 0, consumed < bytes.count,
            bytes[consumed] == 0x0D || bytes[consumed] == 0x0A
        {
            consumed += 1
        }
        if requestLineLength == 0 {
            guard let end = ASCII.find(0x0A, in: bytes, from: consumed + scannedCount) else {
                scannedCount = bytes.count - consumed
                guard scannedCount <= Self.limits.head else { throw .tooLarge }
                return false
            }
            try readRequestLine(bytes, ASCII.trimmed(bytes, consumed..<end))
            requestLineLength = end + 1 - consumed
        }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[(consumed + requestLineLength)...])
        guard let count = try fieldSection.read(rest) else { return false }
        headLength = requestLineLength + count
        raw = Array(bytes[consumed..<consumed + headLength])
        consumed += headLength
        try beginBody(fieldSection.framing)
        return true
    }

    private mutating func readRequestLine(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) throws(WireFault) {
        guard let first = bytes[line].firstIndex(of: 0x20), let last = bytes[line].lastIndex(of: 0x20),
            line.lowerBound < first, first < last
        else { throw .startLine }
        let version = bytes[last + 1..<line.upperBound]
        guard version.count == 8, version.starts(with: "HTTP/1.".utf8) else { throw .version }
        head.isHTTP10 = version.last == UInt8(ascii: "0")
        head.method = HTTPMethod(rawValue: String(decoding: bytes[line.lowerBound..<first], as: UTF8.self))
        head.target = String(decoding: bytes[first + 1..<last], as: UTF8.self)
    }

    private mutating func beginBody(_ fields: FramingFields) throws(WireFault) {
        head.isPersistent = fields.hasClose ? false : !head.isHTTP10 || fields.hasKeepAlive
        head.expectsContinue = fields.expectsContinue
        if fields.hasTransferCoding {
            guard fields.isChunked, !fields.hasOtherCoding else { throw .transferCoding }
            head.isChunked = true
            state = .chunks(ChunkReader(Self.limits))
            return
        }
        switch fields.length {
        case .none: state = .fixed(0)
        case .bytes(let count): state = .fixed(Int(count))
        case .invalid: throw .contentLength
        }
    }
}
