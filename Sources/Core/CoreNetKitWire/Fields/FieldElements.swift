/// The elements of a list in place, without white space and empty ones (RFC 9110, 5.6.1).
struct FieldElements: Sequence, IteratorProtocol {
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
