import CoreNetKitEssentials

/// Parses replies from bytes that may be split anywhere.
///
/// It does no input or output, has no clock and keeps nothing of earlier replies. It allocates memory for received bytes,
/// never for announced lengths. After a fault it reads nothing more, because the following bytes cannot be interpreted.
/// - SeeAlso: [RESP3](https://github.com/redis/redis-specifications/blob/master/protocol/RESP3.md)
struct RESPReader: Sendable {
    /// An aggregate that is not complete yet.
    private struct Frame: Sendable {
        let kind: UInt8
        var remaining: Int
        var items: [RESPValue] = []

        var value: RESPValue? {
            switch kind {
            case UInt8(ascii: "*"), UInt8(ascii: "~"): .array(items)
            case UInt8(ascii: "%"): .map(items)
            case UInt8(ascii: ">"): .push(items)
            // Attributes accompany a reply; no command asks for them, so they are dropped.
            default: nil
            }
        }
    }

    private let limits: RESPLimits
    private var buffer: [UInt8] = []
    private var position = 0
    /// The position up to which there is no end of a line.
    private var scannedCount = 0
    private var frames: [Frame] = []
    /// A string whose length has been read.
    private var bulk: (kind: UInt8, count: Int)?
    private var fault: RESPError?
    /// The bytes and elements of the reply so far.
    private var (taken, elements) = (0, 0)

    init(limits: RESPLimits = .standard) { self.limits = limits }

    /// Whether a reply has begun and is incomplete.
    var isInside: Bool { position < buffer.count || !frames.isEmpty || bulk != nil }

    mutating func append(_ bytes: some Collection<UInt8>) {
        if position > 0, position == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 20)
            (position, scannedCount) = (0, 0)
        } else if position > 64 << 10, position > buffer.count / 2 {
            buffer.removeFirst(position)
            (position, scannedCount) = (0, max(0, scannedCount - position))
        }
        buffer.append(contentsOf: bytes)
    }

    /// Parses the next reply, `nil` if more bytes are needed; after a fault it throws the same one each time.
    mutating func next() throws(RESPError) -> RESPValue? {
        if let fault { throw fault }
        do throws(RESPError) {
            while true {
                guard let element = try step() else { return nil }
                if let reply = add(element) { return reply }
            }
        } catch {
            fault = error
            (buffer, frames, bulk, position) = ([], [], nil, 0)
            throw error
        }
    }

    private enum Element {
        case value(RESPValue)
        /// An element that is not complete yet has begun.
        case opened
    }

    /// Adds an element to the innermost aggregate; returns the reply if this completes it.
    private mutating func add(_ element: Element) -> RESPValue? {
        guard case .value(var value) = element else { return nil }
        while let last = frames.indices.last {
            frames[last].items.append(value)
            frames[last].remaining -= 1
            guard frames[last].remaining == 0 else { return nil }
            guard let whole = frames.removeLast().value else { return nil }
            value = whole
        }
        (taken, elements) = (0, 0)
        return value
    }

    private mutating func step() throws(RESPError) -> Element? {
        if let bulk { return try readBulk(bulk.kind, bulk.count).map { .value($0) } }
        guard let line = try readLine() else { return nil }
        let (kind, text) = (buffer[line.lowerBound], line.dropFirst())
        switch kind {
        case UInt8(ascii: "+"): return .value(.text(self.text(text)))
        case UInt8(ascii: "-"): return .value(.error(self.text(text)))
        case UInt8(ascii: ":"): return .value(.integer(try integer(text)))
        case UInt8(ascii: "_"):
            guard text.isEmpty else { throw .badValue }
            return .value(.null)
        case UInt8(ascii: "#"):
            guard ["t", "f"].contains(self.text(text)) else { throw .badValue }
            return .value(.text(self.text(text)))
        case UInt8(ascii: ","): return .value(.text(try double(text)))
        case UInt8(ascii: "("): return .value(.text(try bigNumber(text)))
        case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="):
            guard let count = try length(text, mayBeNull: kind == UInt8(ascii: "$")) else { return .value(.null) }
            guard count <= limits.bytes - taken else { throw .tooLarge }
            bulk = (kind, count)
            return .opened
        case UInt8(ascii: "*"), UInt8(ascii: "~"), UInt8(ascii: "%"), UInt8(ascii: "|"): return try open(kind, text)
        case UInt8(ascii: ">"):
            guard frames.isEmpty else { throw .misplacedPush }
            return try open(kind, text)
        default: throw .unknownKind(kind)
        }
    }

    private mutating func open(_ kind: UInt8, _ text: Range<Int>) throws(RESPError) -> Element? {
        let mayBeNull = kind == UInt8(ascii: "*")
        guard let count = try length(text, mayBeNull: mayBeNull) else { return .value(.null) }
        let isPaired = kind == UInt8(ascii: "%") || kind == UInt8(ascii: "|")
        guard count <= limits.elements else { throw .tooMany }
        let remaining = isPaired ? 2 * count : count
        guard elements + remaining <= limits.elements else { throw .tooMany }
        elements += remaining
        guard remaining > 0 else { return Frame(kind: kind, remaining: 0).value.map { .value($0) } ?? .opened }
        guard frames.count < limits.depth else { throw .tooDeep }
        frames.append(Frame(kind: kind, remaining: remaining))
        return .opened
    }
}

// MARK: - Lines and strings

extension RESPReader {
    /// Reads a line without its end, including the type byte.
    private mutating func readLine() throws(RESPError) -> Range<Int>? {
        guard position < buffer.count else { return nil }
        let from = max(position, scannedCount)
        guard let end = buffer[from...].firstIndex(of: 0x0A) else {
            scannedCount = buffer.count
            guard buffer.count - position <= limits.line else { throw .badLine }
            if !RESPReader.kinds.contains(buffer[position]) { throw .unknownKind(buffer[position]) }
            return nil
        }
        guard end > position + 1, buffer[end - 1] == 0x0D, end - position <= limits.line,
            !buffer[position..<end - 1].contains(0x0D)
        else { throw RESPReader.kinds.contains(buffer[position]) ? .badLine : .unknownKind(buffer[position]) }
        defer { (position, scannedCount) = (end + 1, end + 1) }
        try take(end + 1 - position)
        return position..<end - 1
    }

    private mutating func readBulk(_ kind: UInt8, _ count: Int) throws(RESPError) -> RESPValue? {
        let end = position + count
        // Reports a wrong byte as soon as it is received.
        if end < buffer.count, buffer[end] != 0x0D { throw .badEnd }
        guard end + 1 < buffer.count else { return nil }
        guard buffer[end + 1] == 0x0A else { throw .badEnd }
        try take(count + 2)
        let range = position..<end
        (position, scannedCount, bulk) = (end + 2, end + 2, nil)
        switch kind {
        case UInt8(ascii: "!"): return .error(text(range))
        case UInt8(ascii: "="):
            // A verbatim string begins with three characters for its format and a colon, as in `txt:`.
            guard range.count >= 4, buffer[range.lowerBound + 3] == UInt8(ascii: ":") else { throw .badValue }
            return .bytes(Data(buffer[range.dropFirst(4)]))
        default: return .bytes(Data(buffer[range]))
        }
    }

    private mutating func take(_ count: Int) throws(RESPError) {
        taken += count
        guard taken <= limits.bytes + 2 else { throw .tooLarge }
    }

    private static let kinds = Set("+-:_#,($!=*~%|>".utf8)

    private func text(_ range: Range<Int>) -> String { String(decoding: buffer[range], as: UTF8.self) }
}

// MARK: - Numbers

extension RESPReader {
    /// A length or a count; `nil` for -1, which is the null of RESP2.
    private func length(_ range: Range<Int>, mayBeNull: Bool = false) throws(RESPError) -> Int? {
        let digits = buffer[range]
        if mayBeNull, digits.elementsEqual("-1".utf8) { return nil }
        guard (1...10).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0"),
            digits.allSatisfy(RESPReader.isDigit), let value = Int(text(range))
        else { throw .badLength }
        return value
    }

    private func integer(_ range: Range<Int>) throws(RESPError) -> Int64 {
        guard range.count <= 20, let value = Int64(text(range)) else { throw .badNumber }
        return value
    }

    private func double(_ range: Range<Int>) throws(RESPError) -> String {
        let text = text(range)
        if ["inf", "-inf", "nan"].contains(text) { return text }
        let isPlain = text.utf8.allSatisfy { RESPReader.isDigit($0) || "+-.eE".utf8.contains($0) }
        guard isPlain, range.count <= 64, Double(text) != nil else { throw .badNumber }
        return text
    }

    private func bigNumber(_ range: Range<Int>) throws(RESPError) -> String {
        let sign = buffer[range].first == UInt8(ascii: "-") ? 1 : 0
        let digits = buffer[range.dropFirst(sign)]
        guard !digits.isEmpty, digits.count <= 4096, digits.allSatisfy(RESPReader.isDigit) else { throw .badNumber }
        return text(range)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}
