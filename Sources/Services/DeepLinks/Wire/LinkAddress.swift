import CoreNetKitEssentials

/// The part of a URL that names a page: the segments of the path and the query, after the check of scheme and host.
///
/// Parses the text of the URL itself, because `URLComponents` decodes the path before it can be split. A fragment names
/// no page and is ignored.
struct LinkAddress {
    static let limit = 8192

    /// The decoded segments; with an app scheme the host is the first one.
    let segments: [String]
    let query: [String: String]
    /// Whether the first segment is a host, whose case is ignored.
    let startsWithHost: Bool

    init(_ text: String, schemes: [String], hosts: [String]) throws(DeepLinkError) {
        guard text.utf8.count <= Self.limit else { throw .tooLong }
        let bytes = Array(text.utf8)
        guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let scheme = Self.scheme(bytes[..<colon])
        else { throw .notAURL }

        let rest = bytes[(colon + 1)...].prefix { $0 != UInt8(ascii: "#") }
        var path = rest.prefix { $0 != UInt8(ascii: "?") }
        let items = rest.dropFirst(path.count + 1)
        var authority: ArraySlice<UInt8> = []
        if path.starts(with: "//".utf8) {
            authority = path.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
            path = path.dropFirst(2 + authority.count)
        }
        let isWeb = scheme == "https" && !hosts.isEmpty
        guard isWeb || scheme != "https" && scheme != "http" && schemes.contains(scheme) else { throw .scheme(scheme) }
        if authority.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: ":") }) { throw .userInfoOrPort }
        if isWeb {
            let host = String(decoding: authority, as: UTF8.self).wireHost
            guard hosts.contains(host) else { throw .host(host) }
            authority = []
        }

        var segments: [String] = []
        if !authority.isEmpty { segments.append(try LinkText.decodeSegment(authority)) }
        for segment in path.split(separator: UInt8(ascii: "/")) { segments.append(try LinkText.decodeSegment(segment)) }
        self.segments = segments
        startsWithHost = !authority.isEmpty
        query = try Self.query(items)
    }

    init(segments: [String], query: [String: String] = [:]) {
        (self.segments, self.query) = (segments, query)
        startsWithHost = false
    }

    private static func query(_ bytes: ArraySlice<UInt8>) throws(DeepLinkError) -> [String: String] {
        var items: [String: String] = [:]
        for item in bytes.split(separator: UInt8(ascii: "&")) {
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            let value = try LinkText.decodeItem(item.dropFirst(name.count + 1))
            guard items.updateValue(value, forKey: try LinkText.decodeItem(name)) ?? value == value else {
                throw .badQuery
            }
        }
        return items
    }

    private static func scheme(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self).lowercasedASCII
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard let first = text.utf8.first, letters.contains(first) else { return nil }
        return text.utf8.allSatisfy { letters.contains($0) || "0123456789+-.".utf8.contains($0) } ? text : nil
    }
}
