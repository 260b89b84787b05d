#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKitSystem

/// The parts of a URL's text, cut where RFC 3986 (appendix B) cuts, every escape left as it is.
struct URLText {
    /// The scheme without `:`; empty where there is none.
    var scheme: Substring = ""
    /// Scheme and authority with their delimiters: `https://example.com:8080`.
    var head: Substring = ""
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    /// Cuts a whole URL.
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
        head = path[..<end]
        path = path[end...]
    }

    /// Cuts a path with, maybe, a query and a fragment.
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

    var text: String {
        var text = String(head)
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

    /// The URL, where the text is one by RFC 3986.
    var url: URL? { URL(string: text, encodingInvalidCharacters: false) }

    /// Path, query and fragment with everything escaped that has no place there, escapes kept.
    var escaped: URLText {
        var copy = self
        copy.path = PercentEncoding.encodeKeepingEscapes(path, as: .path)
        copy.query = query.map { PercentEncoding.encodeKeepingEscapes($0, as: .queryText) }
        copy.fragment = fragment.map { PercentEncoding.encodeKeepingEscapes($0, as: .queryText) }
        return copy
    }

    /// What may stand in a message: no user info, query or fragment, which may be secrets.
    var safe: String {
        var head = head
        if let at = head.lastIndex(of: "@"), let start = head.firstRange(of: "//") {
            head = head[..<start.upperBound] + head[head.index(after: at)...]
        }
        let text = head + path.prefix(80)
        return "\"\(String(text.map { $0.isASCII && !$0.isNewline ? $0 : "?" }))\""
    }

    /// Refuses control characters: in a request line they would end it and start a header.
    static func refuseControls(in text: String) throws(UrlRouteError) {
        guard let byte = text.utf8.first(where: { $0 < 0x20 || $0 == 0x7F }) else { return }
        let name = [0x0A: "LF", 0x0D: "CR", 0x00: "NUL"][byte] ?? "a control character (0x\(Hex.encode([byte])))"
        throw .cantBuildUrl("the route has \(name) in it; escape untrusted text with \\(segment: …)")
    }
}
