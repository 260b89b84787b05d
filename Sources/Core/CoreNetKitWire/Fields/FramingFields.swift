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
    /// For how long the connection is kept.
    package private(set) var keepAlive = KeepAlive.Field()
    /// How the content is coded (`Content-Encoding`).
    package private(set) var codings = ContentCodings()
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
            for option in FieldElements(bytes, value) {
                if ASCII.matches(bytes, option, "close") { closes = true }
                if ASCII.matches(bytes, option, "keep-alive") { keeps = true }
            }
        case 10 where ASCII.matches(bytes, name, "keep-alive"):
            for parameter in FieldElements(bytes, value) { keepAlive.note(parameter, in: bytes) }
        case 14 where ASCII.matches(bytes, name, "content-length"):
            var isEmpty = true
            for element in FieldElements(bytes, value) {
                isEmpty = false
                add(ASCII.number(bytes, element))
            }
            if isEmpty { length = .invalid }
        case 16 where ASCII.matches(bytes, name, "content-encoding"):
            codings.add(value, of: bytes)
        case 17 where ASCII.matches(bytes, name, "transfer-encoding"):
            hasTransferCoding = true
            for coding in FieldElements(bytes, value) {
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
}
