public import CoreNetKitHTTP
public import Foundation

extension URLSessionTransport {
    /// What holds for every exchange of a transport; fixed when the transport is created.
    ///
    /// Transports with equal configurations share one session. On Linux `URLSession` has nothing but
    /// ``connectionsPerHost``: everything else is refused there, and `CurlTransport` has it.
    public struct Configuration: Sendable, Hashable {
        /// Exchanges at a time with one origin, from 1; the others wait, and their wait counts as `queue`.
        public var connectionsPerHost = 6
        /// The way to the server.
        public var proxy = Proxy.system
        /// The trusted authorities and the client's identity.
        public var tls = TLS()
        /// Settings of single hosts: a client certificate is used for no other host, and other hosts are not pinned.
        ///
        /// By name as in the URL, in lower case and without a port: `"api.example.org"`, `"[::1]"`. Anything else is refused
        /// with `invalidRequest`.
        public var hosts: [String: Host] = [:]
        /// Whether an exchange waits for a network instead of failing at once.
        ///
        /// Meanwhile `Timeouts.total` and the deadline of the call are the only limits.
        public var waitsForConnectivity = false
        /// Whether cellular networks may be used.
        public var allowsCellularAccess = true
        /// Whether networks may be used that the system takes for expensive: cellular, a personal hotspot.
        public var allowsExpensiveNetworkAccess = true
        /// Whether networks in Low Data Mode may be used.
        public var allowsConstrainedNetworkAccess = true

        /// Creates the defaults: what the system does.
        public init() {}
    }
}

extension URLSessionTransport.Configuration {
    /// What holds for one host instead of what holds for all.
    public struct Host: Sendable, Hashable {
        /// The client certificate; `nil` takes the one that holds for all.
        public var identity: TLS.Identity?
        /// Pinned keys, see ``TLS/pinnedKeys``.
        public var pinnedKeys: [String] = []
        /// Pinned certificates, see ``TLS/pinnedCertificates``; a host with neither has the pins that hold for all.
        public var pinnedCertificates: [Data] = []

        /// Creates settings that change nothing.
        public init() {}
    }

    /// The way to the server; a proxy of `http:` is asked by CONNECT for all.
    public typealias Proxy = TransportProxy

    /// The trusted authorities and the client's identity.
    public struct TLS: Sendable, Hashable {
        /// Where the certificate authorities come from.
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
            /// What the keychain has under a label.
            case keychain(label: String)
        }

        /// The lowest version that is accepted.
        public enum Version: Sendable, Hashable {
            /// TLS 1.2.
            case tls12
            /// TLS 1.3.
            case tls13
        }

        /// Where the certificate authorities come from.
        public var authorities = Authorities.system
        /// The client certificate.
        public var identity: Identity?
        /// Base64 of the SHA-256 of public keys (SPKI), one of which the server's certificate must have.
        public var pinnedKeys: [String] = []
        /// Whole certificates, DER or PEM, one of which must be the server's.
        ///
        /// Of keys and certificates one match is enough; without either nothing is pinned. A pin comes on top of the
        /// check of the certificate, it does not replace it.
        public var pinnedCertificates: [Data] = []
        /// Whether a server without a pin, its own in ``URLSessionTransport/Configuration/hosts`` or one for all, is refused with
        /// `pinMismatch`.
        public var requiresPins = false
        /// The lowest version that is accepted.
        public var minimumVersion = Version.tls12

        /// Creates the defaults: the system's authorities, TLS 1.2 or better.
        public init() {}
    }
}
