/// The parts of a URL's text, or of a pattern written like one, as they were written.
struct URLParts: Sendable {
    /// Scheme and authority without user and password, in lower case: `https://example.com:8080`; empty for a path.
    let origin: String
    /// `/` where there is none.
    let path: String
    let query: String

    init(_ text: String) {
        var rest = Substring(text)
        if let mark = rest.firstIndex(of: "#") { rest = rest[..<mark] }
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        } else {
            query = ""
        }
        let parts = rest.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        if parts.count >= 3, parts[0].hasSuffix(":"), parts[1].isEmpty {
            let host = parts[2].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            origin = "\(parts[0])//\(host)".lowercased()
            path = parts.count > 3 ? "/" + parts[3] : "/"
        } else {
            origin = ""
            path = rest.isEmpty ? "/" : String(rest)
        }
    }
}
