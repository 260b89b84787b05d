import CoreNetKitHTTP

/// The parts of a URL or of a pattern like one, as they were written.
struct URLParts: Sendable {
    /// Scheme and authority without user info, normalised: `https://example.com:8080`; empty for a path.
    let origin: String
    /// `/` if there is none.
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
        var start = String(rest)
        let read = start.withUTF8 { bytes -> (origin: String, path: String)? in
            guard let parts = Origin.Parts(bytes) else { return nil }
            let written = UnsafeBufferPointer(rebasing: bytes[parts.host])
            let host = HostName.normal(written) ?? String(decoding: written, as: UTF8.self)
            let port = String(decoding: bytes[parts.host.upperBound..<parts.end], as: UTF8.self)
            let path = String(decoding: bytes[parts.end...], as: UTF8.self)
            return ("\(parts.isSecure ? "https" : "http")://\(host)\(port)", path)
        }
        origin = read?.origin ?? ""
        path = read.map { $0.path.isEmpty ? "/" : $0.path } ?? (rest.isEmpty ? "/" : String(rest))
    }
}
