package import CoreNetKitEssentials
import CoreNetKitJson

/// The elements of one array in a JSON text, one by one, and the text around them; if a name occurs twice, the first member
/// counts, and `null` in place of the array means no elements.
package struct JsonElementParser: JsonPieceParser {
    private enum State { case around, beforeElement, afterComma, inElement, afterElement, failed }

    private let path: JsonPath
    private let limit: Int
    private var input = ChunkInput()
    private var state = State.around
    private var search: JsonArraySearch
    private var nesting = JsonNesting()
    private var around = Data()
    private var element = Data()
    private var elementOffset: Int64 = 0
    private var count = 0
    private var failure: StreamError?
    package private(set) var rest: Data?

    /// The limit is for one element, and for the text around the array.
    package init(at path: JsonPath, limit: Int = 8 << 20) {
        (self.path, self.limit, search) = (path, limit, JsonArraySearch(path: path.names))
    }

    package mutating func feed(_ bytes: Data) { input.feed(bytes) }

    package mutating func next() throws(StreamError) -> JsonPiece? {
        let chunk = input.bytes
        let piece = chunk.withUnsafeBytes { bytes -> JsonPiece? in
            while failure == nil, input.position < bytes.count {
                if let piece = step(bytes) { return piece }
            }
            return nil
        }
        if let failure { throw failure }
        return piece
    }

    package var isOver: Bool { state == .around && search.isFound && search.isComplete }

    package mutating func finish() throws(StreamError) -> JsonPiece? {
        if let failure { throw failure }
        guard state == .around, search.isComplete else {
            throw StreamError(.cut, "the text ended before its last bracket", index: count, offset: input.offset)
        }
        do throws(JsonError) {
            _ = try JsonDocument.reading(around)
        } catch {
            throw StreamError(.malformed, "around the array: \(error.message)", offset: input.offset)
        }
        guard search.isFound else { throw StreamError(.missingArray, "there is no array at \(path)") }
        rest = around
        return nil
    }

    private mutating func step(_ bytes: UnsafeRawBufferPointer) -> JsonPiece? {
        switch state {
        case .around: passAround(bytes)
        case .beforeElement, .afterComma: passToElement(bytes)
        case .inElement: return passElement(bytes)
        case .afterElement: passToComma(bytes)
        case .failed: break
        }
        return nil
    }

    private mutating func passAround(_ bytes: UnsafeRawBufferPointer) {
        let end = search.pass(bytes, from: input.position, offset: input.offset)
        guard around.count + end - input.position <= limit else {
            return fail(.elementTooLarge, "there are more than \(limit) bytes around the array")
        }
        around.append(contentsOf: bytes[input.position..<end])
        input.advance(end - input.position)
        if search.isMismatch { return fail(.missingArray, "the value at \(path) is not an array") }
        if search.isAtArray {
            search.leaveArray()
            state = .beforeElement
        }
    }

    private mutating func passToElement(_ bytes: UnsafeRawBufferPointer) {
        let byte = bytes[input.position]
        if ByteSearch.isSpace(byte) { return input.advance(1) }
        switch byte {
        case UInt8(ascii: "]") where state == .beforeElement: closeArray()
        case UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: "}"): fail(.malformed, "expected a value")
        default: (state, elementOffset, nesting) = (.inElement, input.offset, JsonNesting())
        }
    }

    private mutating func passElement(_ bytes: UnsafeRawBufferPointer) -> JsonPiece? {
        let end = nesting.pass(bytes, from: input.position)
        guard element.count + end - input.position <= limit else {
            fail(.elementTooLarge, "an element is larger than \(limit) bytes")
            return nil
        }
        let part = input.part(input.position..<end)
        input.advance(end - input.position)
        guard end < bytes.count else {
            element.append(part)
            return nil
        }
        state = .afterElement
        defer { (element, count) = (Data(), count + 1) }
        return JsonPiece(bytes: element.isEmpty ? part : element + part, index: count, offset: elementOffset)
    }

    private mutating func passToComma(_ bytes: UnsafeRawBufferPointer) {
        switch bytes[input.position] {
        case UInt8(ascii: ","):
            state = .afterComma
            input.advance(1)
        case UInt8(ascii: "]"): closeArray()
        case let byte where ByteSearch.isSpace(byte): input.advance(1)
        default: fail(.malformed, "expected ',' or ']'")
        }
    }

    private mutating func closeArray() {
        state = .around
        around.append(UInt8(ascii: "]"))
        input.advance(1)
    }

    private mutating func fail(_ code: StreamError.Code, _ message: String) {
        state = .failed
        failure = StreamError(code, message, index: count, offset: input.offset)
    }
}

/// The path from the top of a JSON text to one array in it, as names of members.
public struct JsonPath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The names, from the outermost object inwards; none for an array that is the whole text.
    public let names: [String]

    /// Creates a path of names that may contain any character.
    public init(_ names: [String]) { self.names = names }

    /// Creates a path of names separated by dots, such as `data.items`; empty for an array that is the whole text.
    public init(stringLiteral value: String) {
        self.init(value.split(separator: ".", omittingEmptySubsequences: true).map(String.init))
    }

    /// The names, separated by dots.
    public var description: String { names.isEmpty ? "the top" : names.joined(separator: ".") }
}
