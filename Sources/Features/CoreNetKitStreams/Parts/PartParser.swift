package import CoreNetKitEssentials
package import CoreNetKitHTTP

package enum PartToken: Sendable, Hashable {
    case head(Headers)
    case content(Data)
    /// The part is complete: the next delimiter was seen.
    case end
}

/// Reads a `multipart` body (RFC 2046, 5.1) from chunks of any size; drops text before the first delimiter and after the last.
package struct PartParser: Sendable {
    private enum State { case preamble, head, content, epilogue }
    private enum Step { case more, bytes(Data), delimiter(behind: Data, isLast: Bool) }
    private enum Match { case none, partial, whole(end: Int, isLast: Bool) }

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    private let delimiter: [UInt8]
    private let headLimit: Int
    /// A line end is added in front, so that a delimiter at the very start is like the others.
    private var buffer = Self.lineEnd
    private var position = 0
    /// The length of a line end at the position that is not content, but may start a delimiter.
    private var skipped = 0
    private var consumed: Int64 = -2
    private var state = State.preamble
    private var pending: PartToken?
    private var count = 0

    package init(boundary: String, headLimit: Int = 64 << 10) {
        delimiter = Self.lineEnd + Array("--\(boundary)".utf8)
        self.headLimit = headLimit
    }

    package init(mediaType: String?) throws(StreamError) {
        guard let field = mediaType.flatMap({ MediaTypeField(parsing: $0) }), field.essence.hasPrefix("multipart/"),
            let boundary = field[parameter: "boundary"], (1...200).contains(boundary.utf8.count)
        else { throw StreamError(.missingBoundary, "the media type is not multipart with a boundary") }
        self.init(boundary: boundary)
    }

    package mutating func feed(_ bytes: Data) {
        consumed += Int64(position)
        buffer.removeFirst(position)
        position = 0
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next token; `nil` when more bytes are needed.
    package mutating func next() throws(StreamError) -> PartToken? {
        if let token = pending {
            pending = nil
            return token
        }
        while true {
            switch state {
            case .head:
                guard let headers = try takeHead() else { return nil }
                state = .content
                return .head(headers)
            case .preamble, .content:
                let isContent = state == .content
                switch takeContent() {
                case .more: return nil
                case .bytes(let bytes) where isContent: return .content(bytes)
                case .bytes: continue
                case .delimiter(let bytes, let isLast):
                    state = isLast ? .epilogue : .head
                    guard isContent else { continue }
                    count += 1
                    if bytes.isEmpty { return .end }
                    pending = .end
                    return .content(bytes)
                }
            case .epilogue:
                position = buffer.count
                return nil
            }
        }
    }

    /// Ends the input, which must have its last delimiter.
    package func finish() throws(StreamError) {
        guard state == .epilogue else {
            throw StreamError(.cut, "the body ended without its last delimiter", index: count, offset: place)
        }
    }

    package var isOver: Bool { state == .epilogue }

    private var place: Int64 { consumed + Int64(position) }
}

// MARK: - Delimiters

extension PartParser {
    /// Consumes content up to and including a delimiter, or as far as no delimiter can begin.
    private mutating func takeContent() -> Step {
        let first = position + skipped
        var place = position
        while place < buffer.count {
            place = buffer.withUnsafeBytes { ByteSearch.first(0x0D, in: $0, from: place) }
            let match = match(at: place)
            if case .whole(let end, let isLast) = match {
                let bytes = Data(buffer[min(first, place)..<place])
                (position, skipped) = (end, 0)
                return .delimiter(behind: bytes, isLast: isLast)
            }
            if case .partial = match { break }
            place += 1
        }
        place = min(place, buffer.count)
        guard place > first else { return .more }
        let bytes = Data(buffer[first..<place])
        (position, skipped) = (place, 0)
        return .bytes(bytes)
    }

    private func match(at start: Int) -> Match {
        guard start < buffer.count else { return .none }
        let known = buffer[start...].prefix(delimiter.count)
        guard known.elementsEqual(delimiter.prefix(known.count)) else { return .none }
        var place = start + delimiter.count
        guard place + 1 < buffer.count else { return .partial }
        if buffer[place] == UInt8(ascii: "-"), buffer[place + 1] == UInt8(ascii: "-") {
            return .whole(end: place + 2, isLast: true)
        }
        while place < buffer.count, buffer[place] == 0x20 || buffer[place] == 0x09 { place += 1 }
        guard place - start <= delimiter.count + headLimit else { return .none }
        guard place < buffer.count else { return .partial }
        guard buffer[place] == 0x0D else { return .none }
        guard place + 1 < buffer.count else { return .partial }
        return buffer[place + 1] == 0x0A ? .whole(end: place + 2, isLast: false) : .none
    }
}

// MARK: - Fields

extension PartParser {
    /// The fields up to the empty line, whose end may be the start of the next delimiter.
    private mutating func takeHead() throws(StreamError) -> Headers? {
        var place = position
        while place + 1 < buffer.count {
            guard let end = endOfLine(from: place) else { break }
            if end == place {
                let headers = try headers(in: buffer[position..<place])
                (position, skipped) = (place, 2)
                return headers
            }
            place = end + 2
        }
        guard buffer.count - position <= headLimit else {
            throw StreamError(.lineTooLong, "the fields of a part are longer than \(headLimit) bytes", index: count)
        }
        return nil
    }

    private func endOfLine(from start: Int) -> Int? {
        var place = start
        while place + 1 < buffer.count {
            place = buffer.withUnsafeBytes { ByteSearch.first(0x0D, in: $0, from: place) }
            if place + 1 < buffer.count, buffer[place + 1] == 0x0A { return place }
            place += 1
        }
        return nil
    }

    private func headers(in bytes: ArraySlice<UInt8>) throws(StreamError) -> Headers {
        var headers = Headers()
        for line in bytes.split(separator: 0x0A) {
            let text = line.last == 0x0D ? line.dropLast() : line
            guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else {
                throw StreamError(.malformed, "a line of a part's fields has no name", index: count, offset: place)
            }
            let value = text[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? value.startIndex
            let name = String(decoding: text[..<colon], as: UTF8.self)
            headers.append(name, String(decoding: value[..<end], as: UTF8.self))
        }
        return headers
    }
}
