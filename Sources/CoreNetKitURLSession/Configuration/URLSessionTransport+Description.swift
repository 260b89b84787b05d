import CoreNetKitHTTP

// What a configuration looks like in a log, in a debugger and in `dump`: everything but its secrets.

extension URLSessionTransport.Configuration.Proxy: CustomStringConvertible, CustomReflectable {
    /// The way, without user and password.
    public var description: String {
        switch self {
        case .system: "system"
        case .none: "none"
        case .server(let url, let credentials, _):
            Redaction.url(url) + (credentials == nil ? "" : " with credentials")
        }
    }

    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}

extension URLSessionTransport.Configuration.Proxy.Credentials: CustomStringConvertible, CustomReflectable {
    /// That there are some.
    public var description: String { "<redacted>" }

    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension URLSessionTransport.Configuration.TLS.Identity: CustomStringConvertible, CustomReflectable {
    /// Where it comes from, without the key and its password.
    public var description: String {
        switch self {
        case .pkcs12: "PKCS #12 as bytes"
        case .keychain(let label): "keychain, \(label)"
        }
    }

    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}
