extension ValkeyStore {
    /// The address of a server.
    public enum Server: Sendable, Hashable {
        /// A host, by name or address, without encryption.
        case tcp(String, port: Int = 6379)
        /// A host, by name or address, with TLS: certificate and name are checked.
        case tls(String, port: Int = 6379, TLS = TLS())
        /// The path of a Unix domain socket.
        case unix(String)
    }

    /// The trusted authorities and the client's identity.
    public struct TLS: Sendable, Hashable {
        /// A PEM file of trusted authorities, instead of the system's.
        public var authorities: String?
        /// PEM files of a certificate and its key, for servers that authenticate clients.
        public var identity: Identity?
        /// Base64 SHA-256 hashes of public keys (SPKI), one of which the server must have; empty means no pinning.
        public var pinnedKeys: [String] = []

        /// Creates the defaults: the system's authorities.
        public init() {}

        /// A client certificate.
        public struct Identity: Sendable, Hashable {
            let certificate: String
            let key: String

            /// Creates an identity.
            ///
            /// - Parameters:
            ///   - certificate: The path of a PEM file.
            ///   - key: The path of the PEM file of its key.
            public init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
        }
    }
}

extension ValkeyStore.Server: CustomStringConvertible {
    /// Host and port, or the path.
    public var description: String {
        switch self {
        case .tcp(let host, let port), .tls(let host, let port, _): "\(host):\(port)"
        case .unix(let path): path
        }
    }
}
