package import CoreNetKitEssentials
package import CoreNetKitHTTP

/// The other stored responses that a response invalidates or removes.
package enum Invalidation {
    /// Whether a response with this status to this method invalidates (RFC 9111, 4.4): after an error the resource is unchanged.
    package static func applies(method: HTTPMethod, status: Int) -> Bool {
        !method.isSafe && (200..<400).contains(status)
    }

    /// The URLs that a response invalidates: its own, and those of the same origin that it names.
    package static func urls(of url: URL, headers: Headers) -> [URL] {
        var urls = [url]
        let origin = Origin(url)
        for name in ["Location", "Content-Location"] {
            guard let text = headers[name], let other = URL(string: text, relativeTo: url)?.absoluteURL,
                Origin(other) == origin, !urls.contains(other)
            else { continue }
            urls.append(other)
        }
        return urls
    }

    /// The groups that a response belongs to: names that group responses of one origin (RFC 9875).
    package static func groups(of headers: Headers) -> [String] { strings(headers[values: "Cache-Groups"]) }

    package static func groups(invalidatedBy headers: Headers) -> [String] {
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

    /// Whether a trusted response asks for the cache of its origin to be emptied (W3C, Clear Site Data).
    package static func clearsCache(_ headers: Headers, from url: URL) -> Bool {
        let lines = headers[values: "Clear-Site-Data"]
        guard !lines.isEmpty, isTrustworthy(Origin(url)), let members = FieldScanner.members(of: lines) else {
            return false
        }
        return members.contains { $0 == "\"cache\"" || $0 == "\"*\"" }
    }

    /// Encrypted, or from this machine (W3C, Secure Contexts, 3.1).
    private static func isTrustworthy(_ origin: Origin) -> Bool {
        if origin.isSecure { return true }
        let host = origin.host
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }
}
