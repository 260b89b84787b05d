/// How the end of content is known (RFC 9112, 6.3).
package enum BodyFraming: Hashable, Sendable {
    /// There is no content.
    case none
    case length(Int64)
    case chunked
    /// The connection's end is the content's: nobody can tell whether something is missing.
    case untilClose

    /// Whether the content's end is marked.
    package var isDelimited: Bool { self != .untilClose }
}

extension BodyFraming {
    /// What follows for a response, in the order of the section.
    ///
    /// - Parameters:
    ///   - status: Its status.
    ///   - fields: What its fields say.
    ///   - isToHead: Whether the request's method was HEAD.
    /// - Throws: ``WireFault/transferCoding``, ``WireFault/contentLength``: errors that cannot be recovered from.
    package init(status: Int, _ fields: FramingFields, isToHead: Bool) throws(WireFault) {
        if isToHead || status < 200 || status == 204 || status == 304 {
            self = .none
        } else if fields.hasTransferCoding {
            // A length beside it does not count.
            guard fields.isChunked else {
                self = .untilClose
                return
            }
            guard !fields.hasOtherCoding else { throw .transferCoding }
            self = .chunked
        } else {
            switch fields.length {
            case .none: self = .untilClose
            case .bytes(let count): self = .length(count)
            case .invalid: throw .contentLength
            }
        }
    }
}
