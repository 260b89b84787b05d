public import CoreNetKitEssentials

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
            self.user = user
            self.password = password
        }
    }
}

extension TransportProxy {
    /// Why its credentials cannot be sent; `nil` if they can: SOCKS accepts any.
    package var credentialsProblem: String? {
        guard case .server(let url, let credentials, _) = self, url.scheme?.lowercased().hasPrefix("http") == true
        else {
            return nil
        }
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

extension TransportProxy.Credentials: CustomStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "<redacted>" }

    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
