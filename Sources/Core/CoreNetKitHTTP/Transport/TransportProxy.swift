public import CoreNetKitEssentials
import CoreNetKitSystem

/// The way to the server, `Proxy` of each transport's configuration.
public enum TransportProxy: Sendable, Hashable {
    /// Directly to the server, whatever the system settings are.
    case none
    /// According to the system settings; on Linux `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    case system
    /// Through a proxy: `http:`, `https:` or `socks5:`, which resolves names itself.
    ///
    /// `except` lists hosts and domains that are reached directly (`example.org` covers its subdomains); `CurlTransport`
    /// accepts addresses and networks, too.
    case server(URL, credentials: Credentials? = nil, except: [String] = [])

    /// The system settings by their name on Linux.
    public static var environment: TransportProxy { .system }

    /// Name and password for a proxy.
    public struct Credentials: Sendable, Hashable {
        package let user: String
        package let password: String

        /// Creates credentials.
        public init(user: String, password: String) {
            (self.user, self.password) = (user, password)
        }
    }

    /// Why its credentials cannot be sent; `nil` if they can: SOCKS accepts any.
    package var credentialsProblem: String? {
        guard case .server(let url, let credentials, _) = self, url.scheme?.lowercased().hasPrefix("http") == true
        else { return nil }
        let problem =
            credentials.map { BasicCredentials.problem(user: $0.user, password: $0.password) }
            ?? BasicCredentials.problem(of: url)
        return problem.map { "the proxy: \($0)" }
    }
}

// The descriptions for logs, debuggers and `dump`: everything except secrets.

extension TransportProxy: CustomStringConvertible, CustomReflectable {
    /// The way, without user and password.
    public var description: String {
        switch self {
        case .none: "none"
        case .system: "system"
        case .server(let url, let credentials, _):
            Redaction.url(url) + (credentials == nil ? "" : " with credentials")
        }
    }

    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}

extension TransportProxy.Credentials: CustomStringConvertible, DescriptionOnly {
    /// A placeholder.
    public var description: String { "<redacted>" }
}

/// Name and password in the Basic scheme (RFC 7617).
package enum BasicCredentials {
    package static func field(user: String, password: String) throws(TransportError) -> String {
        if let problem = problem(user: user, password: password) { throw FieldCheck.invalid(problem) }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// Why these credentials cannot be sent (RFC 7617, 2); `nil` if they can.
    package static func problem(user: String, password: String) -> String? {
        if user.utf8.contains(UInt8(ascii: ":")) {
            return "the user name must not contain a colon, behind which the password begins"
        }
        let isPlain = (user + password).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        return isPlain ? nil : "the user name and the password must not contain control characters"
    }

    /// Why the credentials of a URL cannot be sent; `nil` if they can, or there are none.
    package static func problem(of url: URL) -> String? {
        guard let written = url.user(percentEncoded: true) else { return nil }
        guard let user = PercentEncoding.decodeStrictly(written),
            let password = PercentEncoding.decodeStrictly(url.password(percentEncoded: true) ?? "")
        else { return "the user name and the password in the URL are not percent-encoded UTF-8" }
        return problem(user: user, password: password)
    }
}
