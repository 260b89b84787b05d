public import CoreNetKitHTTP
public import Foundation

extension URLSessionTransport {
    /// The settings of a transport for all its exchanges; fixed when the transport is created.
    ///
    /// Transports with equal configurations share one session. On Linux `URLSession` supports only ``connectionsPerHost``:
    /// everything else is refused there; use `CurlTransport`.
    public struct Configuration: Sendable, Hashable {
        /// Concurrent exchanges with one origin, from 1; others wait, and their wait counts as `queue`.
        public var connectionsPerHost = 6
        /// The way to the server.
        public var proxy = Proxy.system
        /// The trusted authorities and the client's identity.
        public var tls = TLS()
        /// Settings of single hosts: a client certificate is not used for other hosts, and other hosts are not pinned.
        ///
        /// Keys are names as in the URL, in lower case and without a port: `"api.example.org"`, `"[::1]"`. Anything else is
        /// refused with `invalidRequest`.
        public var hosts: [String: Host] = [:]
        /// Whether an exchange waits for a network instead of failing at once.
        ///
        /// Meanwhile `Timeouts.total` and the deadline of the call are the only limits.
        public var waitsForConnectivity = false
        /// Whether cellular networks may be used.
        public var allowsCellularAccess = true
        /// Whether networks may be used that the system considers expensive: cellular, a personal hotspot.
        public var allowsExpensiveNetworkAccess = true
        /// Whether networks in Low Data Mode may be used.
        public var allowsConstrainedNetworkAccess = true

        /// Creates the defaults of the system.
        public init() {}
    }
}

extension URLSessionTransport.Configuration {
    /// The settings of one host, in place of those for all.
    public struct Host: Sendable, Hashable {
        /// The client certificate; `nil` uses the one for all hosts.
        public var identity: TLS.Identity?
        /// Pinned keys, see ``TLS/pinnedKeys``.
        public var pinnedKeys: [String] = []
        /// Pinned certificates, see ``TLS/pinnedCertificates``; a host without pins has those for all hosts.
        public var pinnedCertificates: [Data] = []

        /// Creates settings without changes.
        public init() {}
    }

    /// The way to the server; a proxy of `http:` is used by CONNECT for all requests.
    public typealias Proxy = TransportProxy

    /// The trusted authorities and the client's identity.
    public struct TLS: Sendable, Hashable {
        /// The source of the certificate authorities.
        public enum Authorities: Sendable, Hashable {
            /// The system's.
            case system
            /// These instead of the system's; each is one certificate in DER, or one or more in PEM.
            case certificates([Data])
        }

        /// A client certificate with its key.
        public enum Identity: Sendable, Hashable {
            /// A PKCS #12 container and its password; kept in memory only.
            case pkcs12(Data, password: String)
            /// The keychain item with a label.
            case keychain(label: String)
        }

        /// The minimum version.
        public enum Version: Sendable, Hashable {
            /// TLS 1.2.
            case tls12
            /// TLS 1.3.
            case tls13
        }

        /// The source of the certificate authorities.
        public var authorities = Authorities.system
        /// The client certificate.
        public var identity: Identity?
        /// Base64 of the SHA-256 of public keys (SPKI), one of which the server's certificate must have.
        public var pinnedKeys: [String] = []
        /// Whole certificates, DER or PEM, one of which must be the server's.
        ///
        /// One match among keys and certificates is enough; without any, nothing is pinned. Pins are checked in addition to
        /// the certificate.
        public var pinnedCertificates: [Data] = []
        /// Whether a server without pins, its own in ``URLSessionTransport/Configuration/hosts`` or those for all, is refused
        /// with `pinMismatch`.
        public var requiresPins = false
        /// The minimum version.
        public var minimumVersion = Version.tls12

        /// Creates the defaults: the system's authorities, at least TLS 1.2.
        public init() {}
    }
}

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
