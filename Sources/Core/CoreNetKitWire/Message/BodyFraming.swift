/// How the end of content is determined (RFC 9112, 6.3).
package enum BodyFraming: Hashable, Sendable {
    /// There is no content.
    case none
    case length(Int64)
    case chunked
    /// The connection's end is the content's: missing content cannot be noticed.
    case untilClose

    /// Whether the content's end is marked.
    package var isDelimited: Bool { self != .untilClose }
}

extension BodyFraming {
    /// The framing of a response, following the order of that section.
    ///
    ///   - status: The response's status.
    ///   - fields: Its framing fields.
    ///   - fields: What its fields say.
    ///   - isToHead: Whether the request's method was HEAD.
    /// - Throws: ``WireFault/transferCoding``, ``WireFault/contentLength``: unrecoverable errors.
    package init(status: Int, _ fields: FramingFields, isToHead: Bool) throws(WireFault) {
        if isToHead || status < 200 || status == 204 || status == 304 {
            self = .none
        } else if fields.hasTransferCoding {
            // A length next to it is ignored. Without `chunked` at the end, 6.3 lets content last until the close, but it
            // would still have its coding: no request asks for one (6.1; RFC 9110, 10.1.4), and `chunked` with parameters
            // is an error (7.1). `identity`, which changes nothing, is accepted.
            guard !fields.hasOtherCoding else { throw .transferCoding }
            self = fields.isChunked ? .chunked : .untilClose
        } else {
            switch fields.length {
            case .none: self = .untilClose
            case .bytes(let count): self = .length(count)
            case .invalid: throw .contentLength
            }
        }
    }
}
