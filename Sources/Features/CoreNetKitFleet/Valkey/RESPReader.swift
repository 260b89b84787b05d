import CoreNetKitEssentials

/// Reads replies from bytes as they come, cut anywhere.
///
/// A value without input, clock or memory of other replies. Memory is taken for what has come, never for what is announced. After
/// a fault nothing more is read: the bytes behind it have lost their meaning.
/// - SeeAlso: [RESP3](https://github.com/redis/redis-specifications/blob/master/protocol/RESP3.md)
struct RESPReader: Sendable {
    /// An aggregate whose elements are still to come.
    private struct Frame: Sendable {
        enum Kind: Sendable { case array, set, map, push, attribute }

        let kind: Kind
        var left: Int
        var items: [RESPValue] = []

        var value: RESPValue? {
            switch kind {
            case .array: .array(items)
            case .set: .set(items)
            case .map: .map(items)
            case .push: .push(items)
            // Beside the reply, and nobody has asked for it.
            case .attribute: nil
            }
        }
    }

    /// A string whose length is known.
    private struct Bulk: Sendable {
        let kind: UInt8
        let count: Int
    }

    private let limits: RESPLimits
    private var buffer: [UInt8] = []
    private var position = 0
    /// Up to where no end of a line was found.
    private var searched = 0
    private var frames: [Frame] = []
    private var bulk: Bulk?
    private var fault: RESPFault?
    /// Bytes and elements of the reply so far.
    private var (taken, elements) = (0, 0)

    init(limits: RESPLimits = .standard) { self.limits = limits }

    /// Whether the beginning of a reply is there without its end.
    var isInside: Bool { position < buffer.count || !frames.isEmpty || bulk != nil }

    /// Adds bytes behind those so far.
    mutating func append(_ bytes: some Collection<UInt8>) {
        if position > 0, position == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 20)
            (position, searched) = (0, 0)
        } else if position > 64 << 10, position > buffer.count / 2 {
            buffer.removeFirst(position)
            (position, searched) = (0, max(0, searched - position))
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next reply.
    ///
    /// - Returns: `nil` where more bytes are needed.
    /// - Throws: `RESPFault`, the same one each time from then on.
    mutating func next() throws(RESPFault) -> RESPValue? {
        if let fault { throw fault }
        do throws(RESPFault) {
            while true {
                guard let element = try step() else { return nil }
                if let reply = place(element) { return reply }
            }
        } catch {
            fault = error
            (buffer, frames, bulk, position) = ([], [], nil, 0)
            throw error
        }
    }

    private enum Element {
        case value(RESPValue)
        /// An aggregate with elements has begun.
        case opened
    }

    /// Puts an element where it belongs.
    ///
    /// - Returns: The reply, where it was the last that was missing.
    private mutating func place(_ element: Element) -> RESPValue? {
        guard case .value(var value) = element else { return nil }
        while let last = frames.indices.last {
            frames[last].items.append(value)
            frames[last].left -= 1
            guard frames[last].left == 0 else { return nil }
            guard let whole = frames.removeLast().value else { return nil }
            value = whole
        }
        (taken, elements) = (0, 0)
        return value
    }

    private mutating func step() throws(RESPFault) -> Element? {
        if let bulk { return try readBulk(bulk).map { .value($0) } }
        guard let line = try readLine() else { return nil }
        let (kind, text) = (buffer[line.lowerBound], line.dropFirst())
        switch kind {
        case UInt8(ascii: "+"): return .value(.text(self.text(text)))
        case UInt8(ascii: "-"): return .value(.error(self.text(text)))
        case UInt8(ascii: ":"): return .value(.integer(try integer(text)))
        case UInt8(ascii: "_"):
            guard text.isEmpty else { throw .badValue }
            return .value(.null)
        case UInt8(ascii: "#"): return .value(.boolean(try boolean(text)))
        case UInt8(ascii: ","): return .value(.double(try double(text)))
        case UInt8(ascii: "("): return .value(.bigNumber(try bigNumber(text)))
        case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="):
            guard let count = try length(text, mayBeNull: kind == UInt8(ascii: "$")) else { return .value(.null) }
            guard count <= limits.bytes - taken else { throw .tooLarge }
            bulk = Bulk(kind: kind, count: count)
            return .opened
        case UInt8(ascii: "*"): return try open(.array, text, mayBeNull: true)
        case UInt8(ascii: "~"): return try open(.set, text)
        case UInt8(ascii: "%"): return try open(.map, text)
        case UInt8(ascii: "|"): return try open(.attribute, text)
        case UInt8(ascii: ">"):
            guard frames.isEmpty else { throw .misplacedPush }
            return try open(.push, text)
        default: throw .unknownKind(kind)
        }
    }

    private mutating func open(
        _ kind: Frame.Kind,
        _ text: Range<Int>,
        mayBeNull: Bool = false
    ) throws(RESPFault) -> Element? {
        guard let count = try length(text, mayBeNull: mayBeNull) else { return .value(.null) }
        let isPaired = kind == .map || kind == .attribute
        guard count <= limits.elements, elements + (isPaired ? 2 * count : count) <= limits.elements else {
            throw .tooMany
        }
        let left = isPaired ? 2 * count : count
        elements += left
        guard left > 0 else { return Frame(kind: kind, left: 0).value.map { .value($0) } ?? .opened }
        guard frames.count < limits.depth else { throw .tooDeep }
        frames.append(Frame(kind: kind, left: left))
        return .opened
    }
}

// MARK: - Lines and strings

extension RESPReader {
    /// A line without its end, the kind in front.
    private mutating func readLine() throws(RESPFault) -> Range<Int>? {
        guard position < buffer.count else { return nil }
        let from = max(position, searched)
        guard let end = buffer[from...].firstIndex(of: 0x0A) else {
            searched = buffer.count
            guard buffer.count - position <= limits.line else { throw .badLine }
            if !RESPReader.kinds.contains(buffer[position]) { throw .unknownKind(buffer[position]) }
            return nil
        }
        guard end > position + 1, buffer[end - 1] == 0x0D, end - position <= limits.line,
            !buffer[position..<end - 1].contains(0x0D)
        else {
            throw RESPReader.kinds.contains(buffer[position]) ? .badLine : .unknownKind(buffer[position])
        }
        defer { (position, searched) = (end + 1, end + 1) }
        try take(end + 1 - position)
        return position..<end - 1
    }

    private mutating func readBulk(_ bulk: Bulk) throws(RESPFault) -> RESPValue? {
        let end = position + bulk.count
        // What is wrong is said as soon as it is there.
        if end < buffer.count, buffer[end] != 0x0D { throw .badEnd }
        guard end + 1 < buffer.count else { return nil }
        guard buffer[end + 1] == 0x0A else { throw .badEnd }
        try take(bulk.count + 2)
        let range = position..<end
        (position, searched, self.bulk) = (end + 2, end + 2, nil)
        switch bulk.kind {
        case UInt8(ascii: "!"): return .error(text(range))
        case UInt8(ascii: "="):
            // Three characters for what it is, as `txt:`.
            guard range.count >= 4, buffer[range.lowerBound + 3] == UInt8(ascii: ":") else { throw .badValue }
            return .bytes(Data(buffer[range.dropFirst(4)]))
        default: return .bytes(Data(buffer[range]))
        }
    }

    private mutating func take(_ count: Int) throws(RESPFault) {
        taken += count
        guard taken <= limits.bytes + 2 else { throw .tooLarge }
    }

    private static let kinds = Set("+-:_#,($!=*~%|>".utf8)

    private func text(_ range: Range<Int>) -> String { String(decoding: buffer[range], as: UTF8.self) }
}

// MARK: - Numbers

extension RESPReader {
    /// A length or a count; `nil` is the older way to say that there is nothing.
    private func length(_ range: Range<Int>, mayBeNull: Bool = false) throws(RESPFault) -> Int? {
        let digits = buffer[range]
        if mayBeNull, digits.elementsEqual("-1".utf8) { return nil }
        guard (1...10).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
            throw .badLength
        }
        var value = 0
        for digit in digits {
            guard RESPReader.isDigit(digit) else { throw .badLength }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    private func integer(_ range: Range<Int>) throws(RESPFault) -> Int64 {
        guard range.count <= 20, let value = Int64(text(range)) else { throw .badNumber }
        return value
    }

    private func double(_ range: Range<Int>) throws(RESPFault) -> Double {
        switch text(range) {
        case "inf": return .infinity
        case "-inf": return -.infinity
        case "nan": return .nan
        case let text:
            let isPlain = text.utf8.allSatisfy { RESPReader.isDigit($0) || "+-.eE".utf8.contains($0) }
            guard isPlain, range.count <= 64, let value = Double(text) else { throw .badNumber }
            return value
        }
    }

    private func boolean(_ range: Range<Int>) throws(RESPFault) -> Bool {
        switch text(range) {
        case "t": return true
        case "f": return false
        default: throw .badValue
        }
    }

    private func bigNumber(_ range: Range<Int>) throws(RESPFault) -> String {
        let sign = buffer[range].first == UInt8(ascii: "-") ? 1 : 0
        let digits = buffer[range.dropFirst(sign)]
        guard !digits.isEmpty, digits.count <= 4096, digits.allSatisfy(RESPReader.isDigit) else { throw .badNumber }
        return text(range)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}
