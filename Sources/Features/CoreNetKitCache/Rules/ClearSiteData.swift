package import CoreNetKitHTTP

package import CoreNetKitEssentials

/// Which data of its own a server asks to remove (W3C, Clear Site Data).
package enum ClearSiteData {
    /// Whether a response asks for the cache of its origin to be emptied: `"cache"` or `"*"`.
    ///
    /// - Parameters:
    ///   - headers: The response's fields.
    ///   - url: The URL of the response; an unencrypted response from a network is not trusted.
    /// - Returns: Whether it asks for that, and is trusted.
    package static func namesCache(_ headers: Headers, from url: URL) -> Bool {
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
