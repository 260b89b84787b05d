/// The part of a URL that names a page: the segments of the path, after scheme and host were checked.
///
/// Reads the text of the URL itself, since `URLComponents` decodes the path before it can be split. Query and
/// fragment name no page and are left out.
struct LinkAddress {
    /// Decoded; of an app scheme the host is the first one.
    let segments: [String]
    /// Whether the first segment is a host, where case does not count.
    let startsWithHost: Bool

    init(_ text: String, schemes: [String], hosts: [String]) throws(DeepLinkError) {
        let bytes = Array(text.utf8)
        guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let scheme = Self.scheme(bytes[..<colon])
        else { throw .notAURL }

        var path = bytes[(colon + 1)...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        var authority: ArraySlice<UInt8> = []
        if path.starts(with: "//".utf8) {
            authority = path.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
            path = path.dropFirst(2 + authority.count)
        }
        let isWeb = scheme == "https" && !hosts.isEmpty
        guard isWeb || scheme != "https" && scheme != "http" && schemes.contains(scheme) else { throw .scheme(scheme) }
        if authority.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: ":") }) { throw .userInfoOrPort }
        if isWeb {
            let host = String(decoding: authority, as: UTF8.self).lowercasedASCII
            guard hosts.contains(host) else { throw .host(host) }
            authority = []
        }

        var segments: [String] = []
        if !authority.isEmpty { segments.append(try PathSegment.decode(authority)) }
        for segment in path.split(separator: UInt8(ascii: "/")) { segments.append(try PathSegment.decode(segment)) }
        self.segments = segments
        startsWithHost = !authority.isEmpty
    }

    init(segments: [String]) {
        self.segments = segments
        startsWithHost = false
    }

    private static func scheme(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self).lowercasedASCII
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return nil }
        let marks: [UInt8] = [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")]
        return text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || marks.contains(byte)
        } ? text : nil
    }
}

extension String {
    /// In lower case as schemes and hosts compare: other letters than those of ASCII stay, none is folded into one.
    var lowercasedASCII: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
