public import CoreNetKitEssentials

/// Whom to trust, and which identity to show; `TLS` of each transport's configuration.
///
/// A transport refuses with `unsupported` what its library lacks; each member names it.
public struct TransportTLS: Sendable, Hashable {
    /// Where the certificate authorities come from.
    public enum Authorities: Sendable, Hashable {
        /// The system's.
        case system
        /// A PEM file's, instead of the system's.
        case file(String)
        /// PEM bytes, instead of the system's.
        case pem(Data)
        /// These instead of the system's; each is one certificate in DER, or one or more in PEM.
        case certificates([Data])

        /// The authorities' bytes; `nil` for the system's and those of a file.
        package var certificates: [Data]? {
            switch self {
            case .system, .file: nil
            case .pem(let bytes): [bytes]
            case .certificates(let list): list
            }
        }
    }

    /// A client certificate with its key.
    public enum Identity: Sendable, Hashable {
        /// Two PEM files; `CurlTransport`.
        case files(certificate: String, key: String, password: String? = nil)
        /// PEM bytes; `CurlTransport`.
        case pem(certificate: Data, key: Data, password: String? = nil)
        /// A PKCS #12 container and its password, kept in memory only; `URLSessionTransport`.
        case pkcs12(Data, password: String)
        /// The keychain item with a label; `URLSessionTransport`.
        case keychain(label: String)
    }

    /// The lowest version that is accepted.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2.
        case tls12
        /// TLS 1.3.
        case tls13
    }

    /// Settings of one host, instead of those of all hosts.
    public struct Host: Sendable, Hashable {
        /// The client certificate; `nil` takes the one of all hosts.
        public var identity: Identity?
        /// Pinned keys, see ``TransportTLS/pinnedKeys``; a host without pins has those of all hosts.
        public var pinnedKeys: [String] = []
        /// Pinned certificates, see ``TransportTLS/pinnedCertificates``; a host without pins has those of all hosts.
        public var pinnedCertificates: [Data] = []
        /// The proxy, with `CurlTransport`; `nil` takes the one of all hosts.
        public var proxy: TransportProxy?

        /// Creates settings that change nothing.
        public init() {}
    }

    /// Whether the server's certificate and name are checked; use `false` only in tests, with `CurlTransport`.
    public var verifiesServer = true
    /// Where the certificate authorities come from.
    public var authorities = Authorities.system
    /// The client certificate.
    public var identity: Identity?
    /// Base64 of the SHA-256 of public keys (SPKI), one of which the server must have; empty pins nothing.
    public var pinnedKeys: [String] = []
    /// Whole certificates, DER or PEM, one of which must be the server's; `URLSessionTransport`.
    ///
    /// One match among keys and certificates is enough; without any, nothing is pinned. Pins are checked in addition to
    /// the certificate.
    public var pinnedCertificates: [Data] = []
    /// Whether a server without a pin, its own in `hosts` or one for all, is refused with `pinMismatch` before anything is sent;
    /// `http:` is not checked.
    public var requiresPins = false
    /// A PEM file with certificate revocation lists; `CurlTransport`.
    ///
    /// With it a certificate whose issuer has no list is refused, and `certificateRevoked` can occur. Apple's systems ask for
    /// revocations themselves.
    public var revocationList: String?
    /// The lowest version that is accepted.
    public var minimumVersion = Version.tls12

    /// Creates the defaults: the system's authorities, TLS 1.2 or better.
    public init() {}
}

// The description for logs, debuggers and `dump`: everything except secrets.

extension TransportTLS.Identity: CustomStringConvertible, CustomReflectable {
    /// Where it comes from, without the key and its password.
    public var description: String {
        switch self {
        case .files(let certificate, let key, _): "certificate \(certificate), key \(key)"
        case .pem: "certificate and key as bytes"
        case .pkcs12: "PKCS #12 as bytes"
        case .keychain(let label): "keychain, \(label)"
        }
    }

    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}
