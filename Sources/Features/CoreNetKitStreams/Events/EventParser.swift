public import CoreNetKitEssentials

/// Reads a `text/event-stream` from chunks of any size: no tasks, no clock, no connection.
///
/// The same bytes give the same events wherever they are split. An event without its empty line at the end of the stream
/// is dropped, its id included, as the standard requires. A parser is for one connection: the next one needs a new parser
/// with the ``lastEventID`` of the old one.
/// - SeeAlso: [HTML, server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html)
public struct EventParser: Sendable {
    /// The id that a new connection sends to the server: the last one that was followed by an empty line.
    public private(set) var lastEventID: String
    /// How long the server asks to wait before reconnecting; `nil` until it does.
    public private(set) var retry: Duration?
    /// Whether there was a comment, delivered or not.
    private(set) var hasComment = false
    /// Bytes that have been read.
    public var offset: Int64 { input.offset }

    private let limits: EventLimits
    private let keepsComments: Bool

    private var input = ChunkInput()
    /// The positions of the next line feed and carriage return; after them both are searched again.
    private var ends = (lineFeed: -1, carriageReturn: -1)
    private var line = Line()
    private var failure: StreamError?

    /// The lines of data, each with its end.
    private var data: [UInt8] = []
    /// A single line of data that is complete in the chunk, as in most events: it is read from there.
    private var dataInChunk: Range<Int>?
    private var type = EventType()
    private var idBuffer: String

    /// Creates a parser for one connection; the id is the one that was sent with the request.
    public init(lastEventID: String = "", limits: EventLimits = .init(), keepsComments: Bool = false) {
        (self.lastEventID, idBuffer) = (lastEventID, lastEventID)
        (self.limits, self.keepsComments) = (limits, keepsComments)
    }

    /// Adds the next bytes of the stream.
    public mutating func feed(_ bytes: Data) {
        keepData()
        input.feed(bytes)
        ends = (-1, -1)
    }

    /// Returns the next event or comment in the bytes so far; `nil` when more bytes are needed.
    ///
    /// - Throws: ``StreamError`` with code `lineTooLong` or `eventTooLarge`, and again on every later call.
    public mutating func next() throws(StreamError) -> EventStreamItem? {
        if failure == nil, input.position < input.bytes.count {
            let copy = input.bytes
            let item = copy.withUnsafeBytes { bytes -> EventStreamItem? in
                while failure == nil, input.position < bytes.count {
                    if let item = readLine(of: bytes) { return item }
                }
                return nil
            }
            if let item { return item }
        }
        if let failure { throw failure }
        return nil
    }
}

// MARK: - Lines

extension EventParser {
    private struct Line: Sendable {
        /// The start of an incomplete line; of a comment that is not delivered, only its first byte.
        var bytes: [UInt8] = []
        var length = 0
        var isFirst = true
        var isAfterCarriageReturn = false
    }

    /// Reads up to the end of the line or of the chunk.
    @inline(__always)
    private mutating func readLine(of bytes: UnsafeRawBufferPointer) -> EventStreamItem? {
        if line.isAfterCarriageReturn {
            line.isAfterCarriageReturn = false
            if bytes[input.position] == 0x0A {
                input.advance(1)
                return nil
            }
        }
        let (start, end) = (input.position, nextEnd(in: bytes))
        guard line.length + end - start <= limits.line else {
            fail(.lineTooLong, "a line is longer than \(limits.line) bytes", back: line.length)
            return nil
        }
        guard end < bytes.count else {
            keep(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            input.advance(end - start)
            return nil
        }
        line.isAfterCarriageReturn = bytes[end] == 0x0D
        let isWhole = line.length == 0 && !line.isFirst
        let item = isWhole ? take(bytes, start..<end) : takeLine(endingWith: bytes, start..<end)
        if failure == nil { input.advance(end + 1 - start) }
        return item
    }

    @inline(__always)
    private mutating func nextEnd(in bytes: UnsafeRawBufferPointer) -> Int {
        let position = input.position
        if ends.lineFeed < position { ends.lineFeed = ByteSearch.first(0x0A, in: bytes, from: position) }
        if ends.carriageReturn < position { ends.carriageReturn = ByteSearch.first(0x0D, in: bytes, from: position) }
        return min(ends.lineFeed, ends.carriageReturn)
    }

    private mutating func keep(_ part: UnsafeRawBufferPointer) {
        let isUnwanted = !keepsComments && (line.bytes.first ?? part.first) == UInt8(ascii: ":")
        if !isUnwanted || line.bytes.isEmpty {
            line.bytes.append(contentsOf: isUnwanted ? .init(rebasing: part.prefix(1)) : part)
        }
        line.length += part.count
    }

    private mutating func takeLine(endingWith bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> EventStreamItem? {
        guard line.length > 0 else { return takeFirst(bytes, range) }
        keep(UnsafeRawBufferPointer(rebasing: bytes[range]))
        let whole = line.bytes
        (line.bytes, line.length) = ([], 0)
        return whole.withUnsafeBytes { line in
            let item = takeFirst(line, 0..<line.count)
            // The remaining bytes are not in the chunk.
            if let range = dataInChunk { keepData(line, range) }
            return item
        }
    }

    /// A byte order mark is removed once, at the start of the stream.
    private mutating func takeFirst(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> EventStreamItem? {
        guard line.isFirst else { return take(bytes, range) }
        line.isFirst = false
        let hasMark = bytes[range].starts(with: [0xEF, 0xBB, 0xBF])
        return take(bytes, hasMark ? range.dropFirst(3) : range)
    }

    private mutating func fail(_ code: StreamError.Code, _ message: String, back: Int = 0) {
        failure = StreamError(code, message, offset: offset - Int64(back))
    }
}

// MARK: - Fields

extension EventParser {
    @inline(__always)
    private mutating func take(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> EventStreamItem? {
        if range.isEmpty { return dispatch(bytes) }
        if ByteSearch.begins(bytes, range, with: "data:") {
            takeData(bytes, Self.value(bytes, (range.lowerBound + 5)..<range.upperBound))
        } else if ByteSearch.begins(bytes, range, with: "event:") {
            let value = Self.value(bytes, (range.lowerBound + 6)..<range.upperBound)
            type.set(UnsafeRawBufferPointer(rebasing: bytes[value]))
        } else {
            return takeRare(bytes, range)
        }
        return nil
    }

    /// A single leading space is not part of the value.
    @inline(__always)
    private static func value(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
        !range.isEmpty && bytes[range.lowerBound] == 0x20 ? (range.lowerBound + 1)..<range.upperBound : range
    }

    private mutating func takeRare(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> EventStreamItem? {
        let line = UnsafeRawBufferPointer(rebasing: bytes[range])
        let colon = ByteSearch.first(UInt8(ascii: ":"), in: line, from: 0)
        let behind = UnsafeRawBufferPointer(rebasing: line[min(colon + 1, line.count)...])
        if colon == 0 {
            hasComment = true
            return keepsComments ? .comment(String(decoding: behind, as: UTF8.self)) : nil
        }
        let value = UnsafeRawBufferPointer(rebasing: behind[Self.value(behind, 0..<behind.count)])
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        if ByteSearch.equals(name, "data") {
            takeData(bytes, range.upperBound..<range.upperBound)
        } else if ByteSearch.equals(name, "event") {
            type.set(value)
        } else if ByteSearch.equals(name, "id") {
            if !value.contains(0) { idBuffer = String(decoding: value, as: UTF8.self) }
        } else if ByteSearch.equals(name, "retry") {
            if let milliseconds = Self.digits(value) { retry = .milliseconds(milliseconds) }
        }
        return nil
    }

    @inline(__always)
    private mutating func takeData(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) {
        guard data.count + (dataInChunk?.count ?? 0) + value.count <= limits.event else {
            return fail(.eventTooLarge, "the data of an event is larger than \(limits.event) bytes")
        }
        if data.isEmpty, dataInChunk == nil { return dataInChunk = value }
        if let first = dataInChunk { keepData(bytes, first) }
        keepData(bytes, value)
    }

    /// Copies a line of data, so that it outlives its chunk.
    private mutating func keepData(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) {
        data.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[value]))
        data.append(0x0A)
        dataInChunk = nil
    }

    private mutating func keepData() {
        guard let range = dataInChunk else { return }
        let copy = input.bytes
        copy.withUnsafeBytes { keepData($0, range) }
    }

    @inline(__always)
    private mutating func dispatch(_ bytes: UnsafeRawBufferPointer) -> EventStreamItem? {
        lastEventID = idBuffer
        let type = type.take()
        let text: Data
        if let range = dataInChunk {
            dataInChunk = nil
            text = Self.repaired(input.part(range), UnsafeRawBufferPointer(rebasing: bytes[range]))
        } else {
            guard !data.isEmpty else { return nil }
            data.removeLast()
            text = data.withUnsafeBytes { Self.repaired(Data($0), $0) }
            // The capacity for a large event is not kept for small ones.
            data.removeAll(keepingCapacity: data.count < 1 << 16)
        }
        return .event(ServerSentEvent(type: type, bytes: text, id: lastEventID))
    }

    /// The data with replacement characters for bytes that are not UTF-8, which a JSON parser would reject.
    private static func repaired(_ data: Data, _ bytes: UnsafeRawBufferPointer) -> Data {
        if ByteSearch.isASCII(bytes) || String(validating: bytes, as: UTF8.self) != nil { return data }
        return Data(String(decoding: bytes, as: UTF8.self).utf8)
    }

    /// A number of ASCII digits only; one that is too large is limited to a year.
    private static func digits(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        let year: Int64 = 365 * 86_400_000
        var number: Int64 = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = min(year, number * 10 + Int64(byte - UInt8(ascii: "0")))
        }
        return number
    }
}

/// The type of the current event, cached as text because most events of a stream have the same.
struct EventType: Sendable {
    private static let standard = "message"

    private var text = ""
    private var words: (UInt64, UInt64) = (0, 0)
    private var count = -1
    private var isSet = false

    mutating func set(_ value: UnsafeRawBufferPointer) {
        isSet = !value.isEmpty
        guard value.count <= 16 else {
            (text, count) = (String(decoding: value, as: UTF8.self), -1)
            return
        }
        var new: (UInt64, UInt64) = (0, 0)
        for byte in value.prefix(8) { new.0 = new.0 << 8 | UInt64(byte) }
        for byte in value.dropFirst(8) { new.1 = new.1 << 8 | UInt64(byte) }
        guard value.count != count || new != words else { return }
        (text, words, count) = (String(decoding: value, as: UTF8.self), new, value.count)
    }

    /// The type of the completed event; the next one starts without.
    mutating func take() -> String {
        defer { isSet = false }
        return isSet ? text : Self.standard
    }
}
