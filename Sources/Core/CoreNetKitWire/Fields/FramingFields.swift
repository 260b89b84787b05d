import CoreNetKitHTTP

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
    package private(set) var hasClose = false
    /// `Connection: keep-alive`, which matters in HTTP/1.0.
    package private(set) var hasKeepAlive = false
    package private(set) var keepAlive = KeepAlive.Field()
    package private(set) var codings = ContentCodings()
    /// `Expect: 100-continue`.
    package private(set) var expectsContinue = false

    package init() {}

    /// Notes a field if it is one of these, and returns whether it is: then a folded line must not continue it.
    @discardableResult
    package mutating func note(_ field: FieldLine, in bytes: UnsafeRawBufferPointer) -> Bool {
        let (name, value) = (field.name, field.value)
        switch name.count {
        case 6 where ASCII.matches(bytes, name, "expect"): expectsContinue = ASCII.matches(bytes, value, "100-continue")
        case 10 where ASCII.matches(bytes, name, "connection"):
            for option in FieldElements(bytes, value) {
                if ASCII.matches(bytes, option, "close") { hasClose = true }
                if ASCII.matches(bytes, option, "keep-alive") { hasKeepAlive = true }
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
        case 16 where ASCII.matches(bytes, name, "content-encoding"): codings.add(value, of: bytes)
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

/// How long a server keeps a connection, as the `Keep-Alive` fields of its responses say (RFC 2068, 19.7.1.1).
package struct KeepAlive: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        /// Seconds without a request.
        package private(set) var timeout: Int64?
        /// Requests, that of this response among them: servers that count down and those that do not both get no more.
        package private(set) var max: Int64?

        package init() {}

        /// Reads one parameter; others, and those that are not numbers, are ignored.
        mutating func note(_ parameter: Range<Int>, in bytes: UnsafeRawBufferPointer) {
            let equals = bytes[parameter].firstIndex(of: UInt8(ascii: "=")) ?? parameter.upperBound
            let name = ASCII.trimmed(bytes, parameter.lowerBound..<equals)
            guard equals < parameter.upperBound,
                let number = ASCII.number(bytes, ASCII.trimmed(bytes, equals + 1..<parameter.upperBound))
            else { return }
            if ASCII.matches(bytes, name, "timeout") { timeout = number }
            if ASCII.matches(bytes, name, "max") { max = number }
        }
    }

    private var responses: Int64 = 0
    private var most = Int64.max
    private var seconds: Int64?

    package init() {}

    /// A response has ended: whether another request may follow it.
    package mutating func note(_ field: Field) -> Bool {
        if let max = field.max { most = min(most, responses.saturatingAdd(max)) }
        if let timeout = field.timeout { seconds = timeout }
        responses = responses.saturatingAdd(1)
        return responses < most && seconds.map { $0 > 1 } ?? true
    }

    /// For how many nanoseconds the connection may be idle: a second less than the server says.
    package func idleLimit(_ configured: Int64) -> Int64 {
        seconds.map { min(configured, Swift.max(0, $0 - 1).saturatingMultiply(1_000_000_000)) } ?? configured
    }
}
