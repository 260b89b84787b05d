import CoreNetKitEssentials
import CoreNetKitSystem

/// The parts of a URL's text, split as in RFC 3986 (appendix B), with all escapes unchanged.
struct URLText {
    /// The scheme without `:`; empty if there is none.
    var scheme: Substring = ""
    /// Scheme and authority with their delimiters: `https://example.com:8080`.
    var schemeAndAuthority: Substring = ""
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    /// Splits a whole URL.
    init(_ text: String) {
        self.init(reference: text[...])
        guard let colon = path.utf8.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
            path.utf8[colon] == UInt8(ascii: ":")
        else { return }
        scheme = path[..<colon]
        var end = path.utf8.index(after: colon)
        if path[end...].utf8.starts(with: "//".utf8) {
            let authority = path[path.utf8.index(end, offsetBy: 2)...]
            end = authority.utf8.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
        }
        schemeAndAuthority = path[..<end]
        path = path[end...]
    }

    /// Splits a path with an optional query and fragment.
    init(reference text: Substring) {
        path = text
        if let hash = path.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = path[path.utf8.index(after: hash)...]
            path = path[..<hash]
        }
        if let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = path[path.utf8.index(after: mark)...]
            path = path[..<mark]
        }
    }

    /// Whether it names a server.
    var hasAuthority: Bool { schemeAndAuthority.utf8.count > scheme.utf8.count + 1 }

    var text: String {
        var text = String(schemeAndAuthority)
        text += path
        if let query {
            text += "?"
            text += query
        }
        if let fragment {
            text += "#"
            text += fragment
        }
        return text
    }

    /// The URL, if the text is valid by RFC 3986.
    var url: URL? { URL(string: text, encodingInvalidCharacters: false) }

    /// Path, query and fragment with invalid characters escaped and existing escapes kept.
    var escaped: URLText {
        var copy = self
        copy.path = PercentEncoding.encodeKeepingEscapes(path, as: .path)
        copy.query = query.map { PercentEncoding.encodeKeepingEscapes($0, as: .queryText) }
        copy.fragment = fragment.map { PercentEncoding.encodeKeepingEscapes($0, as: .queryText) }
        return copy
    }

    /// The part that may appear in a message: no user info, query or fragment, which may be secrets.
    var redactedText: String {
        var server = schemeAndAuthority
        if let at = server.lastIndex(of: "@"), let start = server.firstRange(of: "//") {
            server = server[..<start.upperBound] + server[server.index(after: at)...]
        }
        let text = server + path.prefix(80)
        return "\"\(String(text.map { $0.isASCII && !$0.isNewline ? $0 : "?" }))\""
    }

    /// Rejects control characters: in a request line they would end it and start a header.
    static func rejectControlCharacters(in text: String) throws(UrlRouteError) {
        guard let byte = text.utf8.first(where: { $0 < 0x20 || $0 == 0x7F }) else { return }
        let name = [0x0A: "LF", 0x0D: "CR", 0x00: "NUL"][byte] ?? "a control character (0x\(Hex.encode([byte])))"
        throw .cantBuildUrl("the route has \(name) in it; escape untrusted text with \\(segment: …)")
    }
}

// MARK: - The usual case

extension URLText {
    /// Joins a base and a path in one pass over their bytes; `nil` if they need the full parser.
    static func join(_ base: URL, _ path: String) -> URL? {
        var (base, path) = (base.absoluteString, path)
        let text = path.withUTF8 { path in base.withUTF8 { base in join(base, path) } }
        return text.flatMap { URL(string: $0, encodingInvalidCharacters: false) }
    }

    private static func join(_ base: UnsafeBufferPointer<UInt8>, _ path: UnsafeBufferPointer<UInt8>) -> String? {
        let slash = UInt8(ascii: "/")
        let table = PercentEncoding.Table.path
        guard let start = authority(in: base), !path.isEmpty, path.allSatisfy({ table.keeps($0) }) else { return nil }
        var pathStart = start
        while pathStart < base.count, base[pathStart] != slash { pathStart += 1 }
        var end = base.count
        while end > pathStart, base[end - 1] == slash { end -= 1 }
        let first = path.firstIndex { $0 != slash } ?? path.count
        let added = path.count - first
        return String(unsafeUninitializedCapacity: end + 1 + added) { text in
            _ = text.update(fromContentsOf: base[..<end])
            text[end] = slash
            _ = text[(end + 1)...].update(fromContentsOf: path[first...])
            return end + 1 + added
        }
    }

    /// The start of the authority, if only a path follows it.
    private static func authority(in base: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let colon = base.firstIndex(of: UInt8(ascii: ":")), colon + 2 < base.count,
            base[colon + 1] == UInt8(ascii: "/"), base[colon + 2] == UInt8(ascii: "/"),
            !base[..<colon].contains(UInt8(ascii: "/")),
            !base.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") })
        else { return nil }
        return colon + 3
    }
}
