package import CoreNetKitHTTP

/// What a response's `Alt-Svc` fields say about HTTP/3 on the same host and port (RFC 7838, 3); others are ignored:
/// whether they may speak for an origin is a question of trust.
package enum HTTP3Offer: Sendable, Hashable {
    /// Available for this many seconds, at most a day.
    case offered(seconds: Int64)
    /// Earlier offers no longer count.
    case withdrawn

    private static let day: Int64 = 86_400

    /// Reads the fields of a response over TLS from this host, with an address's brackets; `nil` if none is valid.
    package init?(_ headers: Headers, host: String, port: Int) {
        let lines = headers[values: "Alt-Svc"]
        guard !lines.isEmpty else { return nil }
        let text = lines.joined(separator: ",")
        if text.drop(while: { $0 == " " || $0 == "\t" }) == "clear" {
            self = .withdrawn
            return
        }
        var scanner = FieldScanner(text)
        var found: Int64?
        repeat {
            scanner.skipSpace()
            // An empty list element does not count (RFC 9110, 5.6.1.2).
            if scanner.next == UInt8(ascii: ",") || scanner.isAtEnd { continue }
            guard let (service, authority, seconds) = scanner.service() else { return nil }
            guard service == "h3", found == nil, let colon = authority.lastIndex(of: ":") else { continue }
            let place = authority[..<colon]
            let isSame = place.isEmpty || Headers.matches(String(place), host)
            if isSame, authority[authority.index(after: colon)...] == String(port) { found = seconds }
        } while scanner.takeSpaced(",")
        guard scanner.isAtEnd else { return nil }
        let seconds = min(found ?? 0, Self.day)
        self = seconds > 0 ? .offered(seconds: seconds) : .withdrawn
    }
}

extension FieldScanner {
    mutating func takeSpaced(_ byte: Unicode.Scalar) -> Bool {
        skipSpace()
        return take(byte)
    }

    /// `name`, `name=token` or `name="text"`, with white space around each; `nil` if it breaks the grammar.
    mutating func parameter() -> (name: String, value: String?)? {
        skipSpace()
        guard let name = token() else { return nil }
        guard takeSpaced("=") else { return (name, nil) }
        skipSpace()
        guard let value = next == UInt8(ascii: "\"") ? quoted() : token() else { return nil }
        return (name, value)
    }

    /// `h3=":443"; ma=3600; persist=1`, with its lifetime in seconds; `nil` if it breaks the grammar.
    fileprivate mutating func service() -> (name: String, authority: String, seconds: Int64)? {
        guard let name = token(), takeSpaced("=") else { return nil }
        skipSpace()
        guard let authority = quoted() else { return nil }
        var seconds: Int64 = 86_400
        while takeSpaced(";") {
            guard let (parameter, value) = parameter(), let value else { return nil }
            guard parameter.lowercased() == "ma" else { continue }
            guard value.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            seconds = Int64(value) ?? .max
        }
        return (name, authority, seconds)
    }
}
