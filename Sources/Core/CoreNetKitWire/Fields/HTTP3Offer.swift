package import CoreNetKitHTTP

/// What a response's `Alt-Svc` fields say about HTTP/3 on the same host and port.
///
/// Other hosts and ports are ignored: whether they may speak for an origin is a question of trust, and a dead one would
/// be a dead end.
/// - SeeAlso: [RFC 7838, 3](https://www.rfc-editor.org/rfc/rfc7838#section-3)
package enum HTTP3Offer: Sendable, Hashable {
    /// Available for this many seconds, at most a day.
    case offered(seconds: Int64)
    /// Earlier offers no longer count.
    case withdrawn

    private static let day: Int64 = 86_400

    /// Reads the fields; `nil` if there is none, or if one breaks the grammar.
    ///
    /// - Parameters:
    ///   - headers: The fields of a response received over TLS.
    ///   - host: The requested host, including the brackets of an address.
    ///   - port: The requested port.
    package init?(_ headers: Headers, host: String, port: Int) {
        let lines = headers.fields.filter { Headers.matches($0.name, "Alt-Svc") }.map(\.value)
        guard !lines.isEmpty else { return nil }
        let text = lines.joined(separator: ",")
        var scanner = Scanner(text)
        scanner.skipBlanks()
        if scanner.rest.elementsEqual("clear".utf8) {
            self = .withdrawn
            return
        }
        var found: Int64?
        repeat {
            scanner.skipBlanks()
            // An empty list element does not count (RFC 9110, 5.6.1.2).
            if scanner.next == UInt8(ascii: ",") || scanner.next == nil { continue }
            guard let (service, seconds) = scanner.service() else { return nil }
            let authority = service.authority
            guard service.name == "h3", found == nil, let colon = authority.lastIndex(of: ":") else { continue }
            let place = authority[..<colon]
            let isSame = place.isEmpty || Headers.matches(String(place), host)
            if isSame, authority[authority.index(after: colon)...] == String(port) { found = seconds }
        } while scanner.take(UInt8(ascii: ","))
        guard scanner.next == nil else { return nil }
        let seconds = min(found ?? 0, Self.day)
        self = seconds > 0 ? .offered(seconds: seconds) : .withdrawn
    }
}

/// Reads one element after another.
private struct Scanner {
    struct Service {
        let name: String
        let authority: Substring
    }

    private(set) var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var next: UInt8? { rest.first }

    mutating func skipBlanks() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

    mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    /// `h3=":443"; ma=3600; persist=1`, and its lifetime in seconds.
    mutating func service() -> (Service, seconds: Int64)? {
        guard let name = token(), take(UInt8(ascii: "=")), let authority = quoted() else { return nil }
        var seconds: Int64 = 86_400
        while take(UInt8(ascii: ";")) {
            skipBlanks()
            guard let parameter = token(), take(UInt8(ascii: "=")) else { return nil }
            skipBlanks()
            guard let value = next == UInt8(ascii: "\"") ? quoted() : token() else { return nil }
            if parameter.lowercased() == "ma" {
                guard value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
                seconds = Int64(value) ?? .max
            }
        }
        return (Service(name: String(name), authority: authority), seconds)
    }

    private mutating func token() -> Substring? {
        let end = rest.firstIndex { !Self.isOfToken($0) } ?? rest.endIndex
        guard end > rest.startIndex else { return nil }
        defer { rest = rest[end...] }
        return Substring(rest[..<end])
    }

    /// Whether the byte may occur in a token (RFC 9110, 5.6.2).
    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// The text between quotes; a backslash quotes the character after it.
    private mutating func quoted() -> Substring? {
        skipBlanks()
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return Substring(String(decoding: bytes, as: UTF8.self))
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                bytes.append(escaped)
            default: bytes.append(byte)
            }
        }
        return nil
    }
}
