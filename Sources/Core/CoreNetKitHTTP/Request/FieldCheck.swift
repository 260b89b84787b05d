/// Rejects anything that would change the meaning of a request's head: an invalid token, a line break in a value.
package enum FieldCheck {
    package static func isToken(_ string: String) -> Bool {
        var string = string
        return string.withUTF8 { $0.count > 0 && $0.allSatisfy(isTokenByte) }
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        // One bit each for !#$%&'*+-. and digits, and for letters and ^_`|~.
        let bits: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 128 && bits >> UInt64(byte & 63) & 1 != 0
    }

    /// Whether the value contains no character that ends a line or a C string.
    package static func isValue(_ string: String) -> Bool {
        var string = string
        return string.withUTF8 { $0.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 } }
    }

    package static func isBlank(_ string: String) -> Bool { string.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } }

    /// Throws `TransportError` with code `invalidRequest`, naming the field, never its value.
    package static func check(method: HTTPMethod, headers: Headers) throws(TransportError) {
        guard method == .get || isToken(method.rawValue) else {
            throw invalid("the method is not a token of letters, digits and !#$%&'*+-.^_`|~")
        }
        guard method != .connect else {
            throw invalid("CONNECT is made by the transport itself; configure a proxy")
        }
        for field in headers {
            guard isToken(field.name) else {
                throw invalid("the header name \(quoted(field.name)) is not a token of RFC 9110")
            }
            guard isValue(field.value) else {
                throw invalid("the header \(field.name) has a line break or another control character in its value")
            }
            for name in reserved where Headers.matches(field.name, name) {
                throw invalid("the header \(name) is set by the transport; leave it out")
            }
        }
    }

    /// Throws `TransportError` with code `invalidRequest`, naming the trailer.
    package static func check(trailersOf body: RequestBody) throws(TransportError) {
        for trailer in body.trailers {
            guard isToken(trailer.name) else {
                throw invalid("the name of the trailer \(quoted(trailer.name)) is not a token of RFC 9110")
            }
            guard !headOnly.contains(trailer.name) else {
                throw invalid("\(trailer.name) cannot be a trailer (RFC 9110, 6.5.1); set it in the head, if at all")
            }
        }
    }

    /// Fields that frame, route, authenticate or modify a request, or say how its content is read (RFC 9110, 6.5.1).
    private static let headOnly = FieldNameSet([
        "Host", "Content-Length", "Transfer-Encoding", "Trailer", "TE", "Connection", "Keep-Alive", "Proxy-Connection",
        "Upgrade", "Expect", "Max-Forwards", "Cache-Control", "Pragma", "Range", "If-Match", "If-None-Match",
        "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Authorization", "Proxy-Authorization", "Cookie",
        "Content-Encoding", "Content-Type", "Content-Range",
    ])

    private static let reserved = ["Host", "Content-Length", "Transfer-Encoding"]

    package static func invalid(_ message: String) -> TransportError {
        TransportError(.invalidRequest, phase: .queue, message: message)
    }

    /// A name, shortened to one line for a log.
    private static func quoted(_ name: String) -> String {
        let shown = name.unicodeScalars.prefix(40).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }
        return "\"\(shown.joined())\""
    }
}
