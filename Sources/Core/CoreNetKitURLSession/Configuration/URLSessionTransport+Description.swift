// The descriptions of a configuration for logs, debuggers and `dump`: everything except secrets.

extension URLSessionTransport.Configuration.TLS.Identity: CustomStringConvertible, CustomReflectable {
    /// The source, without the key and its password.
    public var description: String {
        switch self {
        case .pkcs12: "PKCS #12 as bytes"
        case .keychain(let label): "keychain, \(label)"
        }
    }

    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}
