public import CoreNetKitEssentials

/// Reads a `text/event-stream` from chunks of any size: no tasks, no clock, no connection.
///
/// The same bytes give the same events wherever they are cut. What has not met its empty line at the end of the stream
/// is dropped, its id included, as the standard demands. A parser is for one connection: the next one begins with a new
/// parser and the ``lastEventID`` of the old one.
/// - SeeAlso: [HTML, server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html)
public struct EventParser: Sendable {
    /// The id that a new connection tells the server; the last one that was followed by an empty line.
    public private(set) var lastEventID: String
    /// How long the server asks to wait before connecting again; `nil` until it says so.
    public private(set) var retry: Duration?
    /// Whether there was a comment, wanted or not.
    private(set) var hasComment = false
    /// Bytes that have been read.
    public private(set) var offset: Int64 = 0

    private let limits: EventLimits
    private let keepsComments: Bool

    private var chunk = Data()
    private var position = 0
    /// Where the next line feed and carriage return of the chunk are; behind them both must be looked for again.
    private var ends = (lineFeed: -1, carriageReturn: -1)
    private var isAfterCarriageReturn = false
    private var isFirstLine = true
    private var failure: StreamError?

    /// The start of a line whose end has not come; of a comment that nobody wants only the number of bytes.
    private var line: [UInt8] = []
    private var lineLength = 0

    private var data: [UInt8] = []
    private var type = ""
    private var idBuffer: String

    /// Creates a parser for one connection.
    ///
    /// - Parameters:
    ///   - lastEventID: The id that was sent with the request.
    ///   - limits: How much is kept in memory.
    ///   - keepsComments: Whether comments are given out, too.
    public init(lastEventID: String = "", limits: EventLimits = .init(), keepsComments: Bool = false) {
        self.lastEventID = lastEventID
        self.idBuffer = lastEventID
        self.limits = limits
        self.keepsComments = keepsComments
    }

    /// Takes the next bytes of the stream.
    public mutating func feed(_ bytes: Data) {
        chunk = position < chunk.count ? Data(chunk.dropFirst(position)) + bytes : bytes
        position = 0
        ends = (-1, -1)
    }

    /// Gives the next event or comment of the bytes that were fed.
    ///
    /// - Returns: The item, or `nil` when more bytes are needed.
    /// - Throws: ``StreamError`` with code `lineTooLong` or `eventTooLarge`, again at every later call.
    public mutating func next() throws(StreamError) -> EventStreamItem? {
        let chunk = chunk
        let item = chunk.withUnsafeBytes { bytes -> EventStreamItem? in
            while failure == nil, position < bytes.count {
                if let item = readLine(of: bytes) { return item }
            }
            return nil
        }
        if let failure { throw failure }
        return item
    }
}

// MARK: - Lines

extension EventParser {
    /// Reads up to the end of the line or of the chunk.
    private mutating func readLine(of bytes: UnsafeRawBufferPointer) -> EventStreamItem? {
        if isAfterCarriageReturn {
            isAfterCarriageReturn = false
            if bytes[position] == 0x0A {
                advance(to: position + 1)
                return nil
            }
        }
        if ends.lineFeed < position { ends.lineFeed = ByteSearch.first(0x0A, in: bytes, from: position) }
        if ends.carriageReturn < position { ends.carriageReturn = ByteSearch.first(0x0D, in: bytes, from: position) }
        let end = min(ends.lineFeed, ends.carriageReturn)
        let part = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
        guard lineLength + part.count <= limits.line else {
            fail(.lineTooLong, "a line is longer than \(limits.line) bytes", back: lineLength)
            return nil
        }
        guard end < bytes.count else {
            keep(part)
            advance(to: end)
            return nil
        }
        isAfterCarriageReturn = bytes[end] == 0x0D
        let item = takeLine(endingWith: part)
        if failure == nil { advance(to: end + 1) }
        return item
    }

    private mutating func advance(to place: Int) {
        offset += Int64(place - position)
        position = place
    }

    private mutating func keep(_ part: UnsafeRawBufferPointer) {
        let isUnwanted = !keepsComments && (line.first ?? part.first) == UInt8(ascii: ":")
        if !isUnwanted || line.isEmpty { line.append(contentsOf: isUnwanted ? .init(rebasing: part.prefix(1)) : part) }
        lineLength += part.count
    }

    private mutating func takeLine(endingWith part: UnsafeRawBufferPointer) -> EventStreamItem? {
        guard lineLength > 0 else { return takeFirst(part) }
        keep(part)
        let whole = line
        (line, lineLength) = ([], 0)
        return whole.withUnsafeBytes { takeFirst($0) }
    }

    /// A byte order mark is removed once, at the start of the stream.
    private mutating func takeFirst(_ line: UnsafeRawBufferPointer) -> EventStreamItem? {
        guard isFirstLine else { return take(line) }
        isFirstLine = false
        let hasMark = line.count >= 3 && line[0] == 0xEF && line[1] == 0xBB && line[2] == 0xBF
        return take(UnsafeRawBufferPointer(rebasing: line.dropFirst(hasMark ? 3 : 0)))
    }

    private mutating func fail(_ code: StreamError.Code, _ message: String, back: Int = 0) {
        failure = StreamError(code, message, offset: offset - Int64(back))
    }
}

// MARK: - Fields

extension EventParser {
    private mutating func take(_ line: UnsafeRawBufferPointer) -> EventStreamItem? {
        guard let first = line.first else { return dispatch() }
        let colon = ByteSearch.first(UInt8(ascii: ":"), in: line, from: 0)
        var value = UnsafeRawBufferPointer(rebasing: line[min(colon + 1, line.count)...])
        if first == UInt8(ascii: ":") {
            hasComment = true
            return keepsComments ? .comment(String(decoding: value, as: UTF8.self)) : nil
        }
        if value.first == 0x20 { value = UnsafeRawBufferPointer(rebasing: value.dropFirst()) }
        takeField(UnsafeRawBufferPointer(rebasing: line[..<colon]), value)
        return nil
    }

    private mutating func takeField(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if ByteSearch.equals(name, "data") {
            guard data.count + value.count <= limits.event else {
                return fail(.eventTooLarge, "the data of an event is larger than \(limits.event) bytes")
            }
            data.append(contentsOf: value)
            data.append(0x0A)
        } else if ByteSearch.equals(name, "event") {
            type = String(decoding: value, as: UTF8.self)
        } else if ByteSearch.equals(name, "id") {
            if !value.contains(0) { idBuffer = String(decoding: value, as: UTF8.self) }
        } else if ByteSearch.equals(name, "retry") {
            if let milliseconds = Self.digits(value) { retry = .milliseconds(milliseconds) }
        }
    }

    private mutating func dispatch() -> EventStreamItem? {
        lastEventID = idBuffer
        defer { type = "" }
        guard !data.isEmpty else { return nil }
        let text = data.withUnsafeBytes { String(decoding: $0.dropLast(), as: UTF8.self) }
        // What one large event needed is not kept for the small ones that follow.
        data.removeAll(keepingCapacity: data.count < 1 << 16)
        return .event(ServerSentEvent(type: type.isEmpty ? "message" : type, data: text, id: lastEventID))
    }

    /// A number of nothing but ASCII digits; one that is too large counts as a year.
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
