// What a configuration looks like in a log, in a debugger and in `dump`: everything but its secrets.

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
