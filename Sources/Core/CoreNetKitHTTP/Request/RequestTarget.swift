import CoreNetKitEssentials
import CoreNetKitSystem

/// The parts of a request's URL as the server sees them.
package struct RequestTarget {
    package let isSecure: Bool
    /// Host and port as in the field `Host`.
    package let authority: String
    /// Everything before the path, as it is written.
    package let head: String
    /// The path as it is written; `/` if there is none.
    package let path: String
    package let query: String?

    package init?(_ text: String) {
        let bytes = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
        let socket = UnixSocket(text: text)
        guard let url = URL(string: text),
            let end = socket?.end ?? bytes.withUnsafeBufferPointer({ Origin.Parts($0)?.end })
        else { return nil }
        let origin = Origin(url)
        isSecure = origin.isSecure
        let port = origin.port == (isSecure ? 443 : 80) ? "" : ":\(origin.port)"
        authority = socket == nil ? origin.host + port : "localhost"
        head = String(decoding: bytes[..<end], as: UTF8.self)
        let path = bytes[end...].prefix { $0 != UInt8(ascii: "?") }
        self.path = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
        query = path.endIndex == bytes.endIndex ? nil : String(decoding: bytes[(path.endIndex + 1)...], as: UTF8.self)
    }
    /// The path with escapes for all but unreserved characters.
    package var respelledPath: String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { PercentEncoding.respelled($0) }
            .joined(separator: "/")
    }

    /// The items of the query with escapes for all but unreserved characters.
    package var respelledItems: [(name: String, value: String?)] {
        (query ?? "").split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentEncoding.respelled($0, plusIsSpace: true) }
            return (parts[0], parts.count == 1 ? nil : parts[1])
        }
    }

    /// A path without `.`, `..` and empty segments.
    package static func normalized(_ path: String) -> String {
        var segments: [Substring] = []
        for segment in path.split(separator: "/") where segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        return "/" + segments.joined(separator: "/") + (path.hasSuffix("/") && !segments.isEmpty ? "/" : "")
    }
}
