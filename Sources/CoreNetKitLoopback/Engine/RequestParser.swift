import CoreNetKitHTTP

/// Cuts requests out of the bytes of one connection, a piece at a time.
struct RequestParser {
    struct Head {
        var method = HTTPMethod.get
        var target = ""
        var keepsAlive = true
        var isOldVersion = false
        var expectsContinue = false
        var length = 0
        var isChunked = false
    }

    enum Step {
        case needsMore
        /// The head is complete; the body, if there is one, is not.
        case head
        case complete
        case malformed(status: Int, String)
    }

    enum State { case head, fixed(Int), chunkSize, chunk(Int), chunkEnd, trailers, complete }

    static let maximumHead = 1 << 20

    private(set) var head = Head()
    private(set) var bodyLength = 0
    private let limit: Int
    private var state = State.head
    private var scanned = 0
    private var raw: [UInt8] = []
    private var headLength = 0
    private var body: [UInt8] = []
    private var trailers = 0..<0

    init(bodyLimit: Int) { limit = bodyLimit }

    /// Hands out the request that is complete and gets ready for the next one.
    mutating func take(connection: Int) -> LoopbackRequest {
        defer { self = RequestParser(bodyLimit: limit) }
        return LoopbackRequest(
            index: 0,
            connection: connection,
            method: head.method,
            target: head.target,
            bodyLength: bodyLength,
            rawBytes: raw,
            headLength: headLength,
            decodedBody: head.isChunked ? body : nil,
            trailerBytes: trailers
        )
    }

    /// What is known of the request while its body is on its way.
    func preview(connection: Int) -> LoopbackRequest {
        var copy = self
        return copy.take(connection: connection)
    }

    /// Reads on; `consumed` is moved past the bytes that are no longer needed.
    mutating func advance(_ bytes: UnsafeRawBufferPointer, consumed: inout Int) -> Step {
        while true {
            switch state {
            case .head:
                while consumed < bytes.count, scanned == 0, bytes[consumed] == 0x0D || bytes[consumed] == 0x0A {
                    consumed += 1
                }
                guard let end = endOfHead(bytes, from: consumed) else {
                    return bytes.count - consumed > Self.maximumHead
                        ? .malformed(status: 431, "the request head is larger than 1 MiB") : .needsMore
                }
                if let problem = readHead(UnsafeRawBufferPointer(rebasing: bytes[consumed..<end])) { return problem }
                consumed = end
                return .head
            case .fixed(let remaining):
                let left = take(remaining, of: bytes, &consumed)
                state = left == 0 ? .complete : .fixed(left)
                if left > 0 { return .needsMore }
            case .chunk(let remaining):
                let start = consumed
                let left = take(remaining, of: bytes, &consumed)
                if body.count < limit {
                    body.append(contentsOf: bytes[start..<(start + min(consumed - start, limit - body.count))])
                }
                state = left == 0 ? .chunkEnd : .chunk(left)
                if left > 0 { return .needsMore }
            case .chunkSize, .chunkEnd, .trailers:
                guard let end = endOfLine(bytes, from: consumed) else {
                    return bytes.count - consumed > Self.maximumHead
                        ? .malformed(status: 400, "a line of the chunked body is longer than 1 MiB") : .needsMore
                }
                let line = UnsafeRawBufferPointer(rebasing: bytes[consumed..<end])
                keep(bytes, consumed..<end)
                consumed = end
                if let problem = readLine(line) { return problem }
            case .complete:
                return .complete
            }
        }
    }

    /// Takes what is there of so many bytes of content, and gives how many are still to come.
    private mutating func take(_ remaining: Int, of bytes: UnsafeRawBufferPointer, _ consumed: inout Int) -> Int {
        let count = min(remaining, bytes.count - consumed)
        keep(bytes, consumed..<(consumed + count))
        bodyLength += count
        consumed += count
        return remaining - count
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        let room = limit == .max ? range.count : min(range.count, max(0, limit.saturatingAdd(headLength - raw.count)))
        if room > 0 { raw.append(contentsOf: bytes[range.lowerBound..<(range.lowerBound + room)]) }
    }

    private mutating func readLine(_ line: UnsafeRawBufferPointer) -> Step? {
        let isEmpty = ByteText.trimmed(line).isEmpty
        switch state {
        case .chunkEnd:
            guard isEmpty else { return .malformed(status: 400, "a chunk is longer than its size says") }
            state = .chunkSize
        case .trailers:
            if isEmpty { state = .complete } else { trailers = trailers.lowerBound..<raw.count }
        default:
            let digits = line.firstIndex(of: UInt8(ascii: ";")).map { UnsafeRawBufferPointer(rebasing: line[..<$0]) }
            guard let size = ByteText.number(ByteText.trimmed(digits ?? line), radix: 16) else {
                return .malformed(status: 400, "the size of a chunk is not a number")
            }
            state = size == 0 ? .trailers : .chunk(size)
            trailers = raw.count..<raw.count
        }
        return nil
    }

    private mutating func readHead(_ bytes: UnsafeRawBufferPointer) -> Step? {
        raw = Array(bytes)
        headLength = raw.count
        scanned = 0
        guard let lineEnd = endOfLine(bytes, from: 0) else { return .malformed(status: 400, "no request line") }
        let line = ByteText.trimmed(UnsafeRawBufferPointer(rebasing: bytes[..<lineEnd]))
        guard let first = line.firstIndex(of: 0x20), let last = line.lastIndex(of: 0x20), first < last, first > 0 else {
            return .malformed(status: 400, "the request line is not method, target and version")
        }
        let version = line[(last + 1)...]
        guard version.count == 8, version.starts(with: "HTTP/1.".utf8) else {
            return .malformed(status: 505, "the version of the request is not HTTP/1.0 or HTTP/1.1")
        }
        head.isOldVersion = version.last == UInt8(ascii: "0")
        head.keepsAlive = !head.isOldVersion
        head.method = ByteText.method(line[..<first])
        head.target = String(decoding: line[(first + 1)..<last], as: UTF8.self)
        if let problem = readFields(bytes, from: lineEnd) { return problem }
        state = head.isChunked ? .chunkSize : .fixed(head.length)
        return nil
    }

    private mutating func readFields(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Step? {
        var start = start
        while let end = endOfLine(bytes, from: start) {
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            start = end
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
            let value = ByteText.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
            switch colon {
            case 6 where ByteText.matches(name, "expect"):
                head.expectsContinue = ByteText.matches(value, "100-continue")
            case 10 where ByteText.matches(name, "connection"):
                if ByteText.matches(value, "close") { head.keepsAlive = false }
                if ByteText.matches(value, "keep-alive") { head.keepsAlive = true }
            case 14 where ByteText.matches(name, "content-length"):
                guard let length = ByteText.number(value, radix: 10) else {
                    return .malformed(status: 400, "Content-Length is not a number")
                }
                head.length = length
            case 17 where ByteText.matches(name, "transfer-encoding"):
                guard ByteText.matches(value, "chunked") else {
                    return .malformed(status: 501, "only the transfer encoding chunked is known")
                }
                head.isChunked = true
            default: break
            }
        }
        return nil
    }

    /// The position after the empty line.
    private mutating func endOfHead(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var position = start + scanned
        while let end = endOfLine(bytes, from: position) {
            if end < bytes.count, bytes[end] == 0x0A { return end + 1 }
            if end + 1 < bytes.count, bytes[end] == 0x0D, bytes[end + 1] == 0x0A { return end + 2 }
            if end + 1 >= bytes.count { break }
            position = end
        }
        scanned = max(0, position - start)
        return nil
    }

    /// The position after the next line feed.
    private func endOfLine(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        ByteText.find(0x0A, in: bytes, from: start).map { $0 + 1 }
    }
}
