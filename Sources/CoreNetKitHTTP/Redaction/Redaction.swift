#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Leaves secrets out of everything that may reach a log: credentials in URLs, secret query items, secret fields.
package enum Redaction {
    private static let secretItems: Set<String> = [
        "access_token", "accesstoken", "api_key", "apikey", "auth", "authorization", "client_secret", "code",
        "deviceid", "id_token", "identifier", "key", "password", "passwd", "pwd", "refresh_token", "secret",
        "session", "sessionid", "sig", "signature", "token", "x-amz-credential", "x-amz-security-token",
        "x-amz-signature",
    ]

    /// The URL without user, password, fragment and the values of secret query items.
    package static func url(_ url: URL) -> String { text(of: url.absoluteString) }

    /// The same for a URL that may not be valid.
    package static func text(of url: String) -> String {
        var rest = Substring(url)
        if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
        let query = rest.firstIndex(of: "?")
        var head = String(rest[..<(query ?? rest.endIndex)])
        if let scheme = head.firstRange(of: "//") {
            let authority = head[scheme.upperBound...].prefix { $0 != "/" }
            if let at = authority.lastIndex(of: "@") {
                head.replaceSubrange(scheme.upperBound..<at, with: "<redacted>")
            }
        }
        guard let query else { return head }
        let items = rest[rest.index(after: query)...].split(separator: "&", omittingEmptySubsequences: false)
        let shown = items.map { item -> String in
            let name = item.prefix { $0 != "=" }
            return isSecret(item: name) && name.count < item.count ? "\(name)=<redacted>" : String(item)
        }
        return head + "?" + shown.joined(separator: "&")
    }

    /// Whether values under this name are left out.
    package static func isSecret(item name: some StringProtocol) -> Bool {
        secretItems.contains(name.lowercased())
    }
}

extension Redaction {
    /// A field line: without the value of a secret field, and without the secrets of a URL in it.
    package static func line(_ field: Headers.Field) -> String {
        if Headers.isSecret(field.name) { return "\(field.name): <redacted>" }
        let isLink = linkFields.contains { Headers.matches($0, field.name) }
        return "\(field.name): \(isLink ? text(of: field.value) : field.value)"
    }

    /// The fields without the values of secret ones, and without the secrets of URLs in them.
    package static func fields(_ headers: Headers) -> Headers {
        var headers = headers
        for index in headers.fields.indices {
            let name = headers.fields[index].name
            if Headers.isSecret(name) {
                headers.fields[index].value = "REDACTED"
            } else if linkFields.contains(where: { Headers.matches($0, name) }) {
                headers.fields[index].value = text(of: headers.fields[index].value)
            }
        }
        return headers
    }

    /// A message without the secrets of the URLs in it.
    package static func message(_ message: String) -> String { message }

    /// A content by the rules of its type, `nil` where nothing is known of its type.
    package static func body(_ body: Data, type: String?) -> Data? { nil }

    private static let linkFields = ["Location", "Content-Location", "Referer", "Refresh", "Link"]
}
