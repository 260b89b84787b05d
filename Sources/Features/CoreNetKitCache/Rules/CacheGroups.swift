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
        guard !lines.isEmpty, let members = ListField.members(of: lines), members.count <= 128 else { return [] }
        var strings: [String] = []
        for member in members {
            guard let string = string(member) else { return [] }
            strings.append(string)
        }
        return strings
    }

    /// `"a \"quoted\" name";parameter=1`; parameters are ignored.
    private static func string(_ member: Substring) -> String? {
        var bytes = Array(member.utf8)[...]
        guard bytes.popFirst() == UInt8(ascii: "\"") else { return nil }
        var text: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                let isEnd = bytes.isEmpty || bytes.first == UInt8(ascii: ";") || bytes.first == UInt8(ascii: " ")
                return isEnd ? String(decoding: text, as: UTF8.self) : nil
            case UInt8(ascii: "\\"):
                guard let next = bytes.popFirst(), next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") else {
                    return nil
                }
                text.append(next)
            case 0x20...0x7E: text.append(byte)
            default: return nil
            }
        }
        return nil
    }
}
