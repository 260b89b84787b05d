/// What a head's fields say about its content and its connection.
package struct FramingFields: Hashable, Sendable {
    package enum Length: Hashable, Sendable {
        case none
        case bytes(Int64)
        /// Not a number, or two different ones: the consequence depends on the other fields.
        case invalid
    }

    /// `Content-Length` (RFC 9110, 8.6): equal values count as one.
    package private(set) var length = Length.none
    /// Whether there is a `Transfer-Encoding`, whatever it says.
    package private(set) var hasTransferCoding = false
    /// Whether the last transfer coding is `chunked`.
    package private(set) var isChunked = false
    /// Whether there is a coding besides `chunked`, or `chunked` twice: such content cannot be read.
    package private(set) var hasOtherCoding = false
    /// `Connection: close`.
    package private(set) var closes = false
    /// `Connection: keep-alive`, which matters in HTTP/1.0.
    package private(set) var keeps = false
    /// Whether the content is coded: there is a `Content-Encoding` other than `identity`.
    package private(set) var isCoded = false
    /// `Expect: 100-continue`.
    package private(set) var expectsContinue = false

    package init() {}

    /// Notes a field if it is one of these.
    ///
    /// - Returns: Whether it is: then a folded line must not continue it.
    @discardableResult
    package mutating func note(_ field: FieldLine, in bytes: UnsafeRawBufferPointer) -> Bool {
        let (name, value) = (field.name, field.value)
        switch name.count {
        case 6 where ASCII.matches(bytes, name, "expect"):
            expectsContinue = ASCII.matches(bytes, value, "100-continue")
        case 10 where ASCII.matches(bytes, name, "connection"):
            for option in Elements(bytes, value) {
                if ASCII.matches(bytes, option, "close") { closes = true }
                if ASCII.matches(bytes, option, "keep-alive") { keeps = true }
            }
        case 14 where ASCII.matches(bytes, name, "content-length"):
            var isEmpty = true
            for element in Elements(bytes, value) {
                isEmpty = false
                add(ASCII.number(bytes, element))
            }
            if isEmpty { length = .invalid }
        case 16 where ASCII.matches(bytes, name, "content-encoding"):
            for coding in Elements(bytes, value) where !ASCII.matches(bytes, coding, "identity") { isCoded = true }
        case 17 where ASCII.matches(bytes, name, "transfer-encoding"):
            hasTransferCoding = true
            for coding in Elements(bytes, value) {
                if isChunked { hasOtherCoding = true }
                isChunked = ASCII.matches(bytes, coding, "chunked")
                if !isChunked, !ASCII.matches(bytes, coding, "identity") { hasOtherCoding = true }
            }
        default: return false
        }
        return true
    }

    private mutating func add(_ number: Int64?) {
        switch (length, number) {
        case (.none, .some(let number)): length = .bytes(number)
        case (.bytes(let known), .some(let number)) where known == number: break
        default: length = .invalid
        }
    }

    /// The elements of a list in place, without white space and empty ones (RFC 9110, 5.6.1).
    private struct Elements: Sequence, IteratorProtocol {
        private let bytes: UnsafeRawBufferPointer
        private var rest: Range<Int>

        init(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) { (self.bytes, rest) = (bytes, value) }

        mutating func next() -> Range<Int>? {
            while !rest.isEmpty {
                var end = rest.lowerBound
                while end < rest.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
                let element = ASCII.trimmed(bytes, rest.lowerBound..<end)
                rest = Swift.min(end + 1, rest.upperBound)..<rest.upperBound
                if !element.isEmpty { return element }
            }
            return nil
        }
    }
}
