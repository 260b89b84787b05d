public import CoreNetKitEssentials

/// The way to the server, `Proxy` of each transport's configuration.
public enum TransportProxy: Sendable, Hashable {
    /// Straight to the server, whatever the system is set to.
    case none
    /// As the system is set; on Linux that is what `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
    case system
    /// Through a server: `http:`, `https:` or `socks5:`, which resolves the names itself.
    ///
    /// `except` lists hosts and domains that are reached directly (`example.org` covers its subdomains); `CurlTransport`
    /// takes addresses and networks, too.
    case server(URL, credentials: Credentials? = nil, except: [String] = [])

    /// The settings of the system by their name on Linux.
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
    /// Why its name and password cannot be sent; `nil` if they can: SOCKS takes any.
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

// What it looks like in a log, in a debugger and in `dump`: everything but its secrets.

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

    /// Nothing but the description.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}

extension TransportProxy.Credentials: CustomStringConvertible, CustomReflectable {
    /// That there are some.
    public var description: String { "<redacted>" }

    /// Nothing but the description.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
