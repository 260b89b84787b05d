package import CoreNetKitHTTP

/// Names that group responses of one origin (RFC 9875).
package enum CacheGroups {
    /// The groups that a response belongs to.
    package static func of(_ headers: Headers) -> [String] { strings(headers[values: "Cache-Groups"]) }

    /// The groups that a response to an unsafe request invalidates.
    package static func invalidated(by headers: Headers) -> [String] {
        strings(headers[values: "Cache-Group-Invalidation"])
    }

    /// A structured list of strings (RFC 9651, 3.1); a list with any other member is ignored as a whole.
    private static func strings(_ lines: [String]) -> [String] {
        guard !lines.isEmpty, let members = FieldScanner.members(of: lines), members.count <= 128 else { return [] }
        let strings = members.compactMap(string)
        return strings.count == members.count ? strings : []
    }

    /// `"a \"quoted\" name";parameter=1`; parameters are ignored.
    private static func string(_ member: String) -> String? {
        var scanner = FieldScanner(member)
        let text = scanner.quoted(isStructured: true)
        return scanner.next.map { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: " ") } ?? true ? text : nil
    }
}
