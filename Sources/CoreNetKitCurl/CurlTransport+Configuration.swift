#if os(Linux)
    public import CoreNetKitHTTP
    public import CoreNetKitEssentials

    extension CurlTransport {
        /// What holds for every exchange of a transport; fixed when the transport is created.
        public struct Configuration: Sendable {
            /// Which HTTP versions a transport speaks.
            public enum HTTPVersion: Sendable, Hashable {
                /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
                case automatic
                /// HTTP/1.1 only.
                case http1
                /// HTTP/2 at once, also without TLS; the server must speak it.
                case http2PriorKnowledge
                /// HTTP/3 at once, else as `automatic`; needs `TransportCapabilities.http3`.
                ///
                /// Where a server was reached over TCP, UDP is tried again after 5 minutes, then 10, up to a day.
                case http3
                /// As `automatic`; HTTP/3 for the next connection to a server that has offered it by `Alt-Svc` at the same host
                /// and port (RFC 7838), until it has not come about there.
                ///
                /// A wish: where the library has no HTTP/3, through a proxy and over Unix domain sockets it is as `automatic`.
                case preferHTTP3
            }

            /// Who speaks HTTP/1.1.
            public enum HTTP1: Sendable, Hashable {
                /// This package, over connections that libcurl makes.
                case own
                /// libcurl, as in version 0.2: the way back, for one version.
                case libcurl
            }

            /// Exchanges at a time with one origin; the others wait, and their wait counts as `queue`.
            ///
            /// With HTTP/1.1 each has a connection of its own, so this is also their number; with HTTP/2 they share
            /// connections. 64 keeps one loop busy; more adds connections and hardly throughput.
            public var connectionsPerHost = 64
            /// Exchanges at a time in all.
            public var totalConnections = 256
            /// How long an unused connection is kept for the next exchange, in whole seconds.
            public var idleConnectionLifetime: Duration = .seconds(60)
            /// The longest life of a connection, in whole seconds; then the next exchange gets another.
            ///
            /// `nil` is no limit. Behind a load balancer it lets a client find new servers.
            public var connectionLifetime: Duration?
            /// The most requests that may wait for a place; more are refused with `queueFull`, and `nil` is no limit.
            public var waitingLimit: Int?
            /// Probes of TCP on connections that are silent; `nil` sends none.
            public var keepAlive: KeepAlive?
            /// PING frames on connections of HTTP/2 that nobody uses; needs `TransportCapabilities.http2Ping`.
            public var http2PingInterval: Duration?
            /// Addresses to take for a host and port instead of asking for them: `"example.org:443": ["192.0.2.1"]`.
            public var addresses: [String: [String]] = [:]
            /// Other servers to connect to, for a host and port: `"example.org:443": "localhost:8443"`.
            ///
            /// Everything else stays, the name that TLS asks for too.
            public var connectTo: [String: String] = [:]
            /// Which addresses are used.
            public var addressFamily = AddressFamily.any
            /// The network interface, the address or the host name that connections go out from.
            public var interface: String?
            /// What holds for one host only, by its name in lower case: a client certificate is shown to nobody else.
            public var hosts: [String: Host] = [:]
            /// Which HTTP versions are spoken.
            public var httpVersion = HTTPVersion.automatic
            /// Who speaks HTTP/1.1; HTTP/2 and HTTP/3 are libcurl's.
            public var http1 = HTTP1.own
            /// The way to the server; the environment's `http_proxy` counts only when asked for, by `.system`.
            public var proxy = Proxy.none
            /// The path of a Unix domain socket that every exchange goes through.
            public var unixSocket: String?
            /// Whom to trust and who to be.
            public var tls = TLS()
            /// Owner threads, each with connections of its own; the limits are divided among them.
            public var loops = 1
            /// How much content may grow by decompression.
            public var decompression = Decompression()
            /// Sent as `User-Agent` by requests that have none.
            public var userAgent: String? = "CoreNetKit"

            /// Creates the defaults.
            public init() {}

            /// More threads than this are a mistake.
            var loopCount: Int { min(max(1, loops), 64) }
        }
    }

    extension CurlTransport.Configuration {
        /// What holds for one host instead of what holds for all.
        public struct Host: Sendable, Hashable {
            /// The client certificate.
            public var identity: TLS.Identity?
            /// Pinned keys, see ``TLS/pinnedKeys``; empty takes those that hold for all.
            public var pinnedKeys: [String] = []
            /// The way to the server; `nil` takes the one that holds for all.
            public var proxy: Proxy?

            /// Creates settings that change nothing.
            public init() {}
        }

        /// Probes of TCP that find out whether a silent peer is still there, in whole seconds.
        public struct KeepAlive: Sendable, Hashable {
            /// The silence before the first probe.
            public var idle: Duration = .seconds(60)
            /// The time between two probes.
            public var interval: Duration = .seconds(30)

            /// Creates the defaults: after a minute, then each half.
            public init() {}
        }

        /// Which addresses of a host are used.
        public enum AddressFamily: Sendable, Hashable {
            /// Both; the one that connects first.
            case any
            /// IPv4 only.
            case ipv4
            /// IPv6 only.
            case ipv6
        }

        /// The guard against content that is small on the wire and huge in memory.
        public struct Decompression: Sendable, Hashable {
            /// The maximum number of bytes one byte from the wire may become; the first MiB is free.
            public var ratio = 100
            /// The maximum number of bytes one response may become, whatever its delivery.
            public var limit: Int64 = 4 << 30

            /// Creates the defaults: 100 times, 4 GiB.
            public init() {}
        }

        /// The way to the server.
        public typealias Proxy = TransportProxy

        /// Whom to trust and who to be.
        public struct TLS: Sendable, Hashable {
            /// Where the certificate authorities come from.
            public enum Authorities: Sendable, Hashable {
                /// The system's.
                case system
                /// A PEM file's, instead of the system's.
                case file(String)
                /// PEM bytes, instead of the system's.
                case pem(Data)
            }

            /// A client certificate with its key.
            public enum Identity: Sendable, Hashable {
                /// Two PEM files.
                case files(certificate: String, key: String, password: String? = nil)
                /// PEM bytes.
                case pem(certificate: Data, key: Data, password: String? = nil)
            }

            /// The lowest version that is accepted.
            public enum Version: Sendable, Hashable {
                /// TLS 1.2.
                case tls12
                /// TLS 1.3.
                case tls13
            }

            /// Whether the server's certificate and name are checked; `false` is for tests.
            public var verifiesServer = true
            /// Where the certificate authorities come from.
            public var authorities = Authorities.system
            /// The client certificate.
            public var identity: Identity?
            /// Base64 of the SHA-256 of public keys (SPKI), one of which the server must have; empty pins nothing.
            public var pinnedKeys: [String] = []
            /// A PEM file with lists of revoked certificates; with it a certificate without a list of its issuer is
            /// refused, and `certificateRevoked` can occur.
            public var revocationList: String?
            /// The lowest version that is accepted.
            public var minimumVersion = Version.tls12

            /// Creates the defaults: the system's authorities, TLS 1.2 or better.
            public init() {}
        }
    }
#endif
