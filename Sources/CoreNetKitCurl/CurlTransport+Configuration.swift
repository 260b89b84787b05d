#if os(Linux)
    import CoreNetKitHTTP
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

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
                /// HTTP/3 where the server offers it, else as `automatic`; needs ``TransportCapabilities/http3``.
                case http3
            }

            /// Exchanges at a time with one host; the others wait, and their wait counts as `queue`.
            ///
            /// 64 keeps one loop busy; more adds connections and hardly throughput. With HTTP/2 they share connections.
            public var connectionsPerHost = 64
            /// Exchanges at a time in all.
            public var totalConnections = 256
            /// How long an unused connection is kept for the next exchange, in whole seconds.
            public var idleConnectionLifetime: Duration = .seconds(60)
            /// Which HTTP versions are spoken.
            public var httpVersion = HTTPVersion.automatic
            /// The way to the server; the environment's `http_proxy` counts only when asked for.
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
        /// The guard against content that is small on the wire and huge in memory.
        public struct Decompression: Sendable, Hashable {
            /// The most bytes one byte from the wire may become; the first MiB is free.
            public var ratio = 100
            /// The most bytes one response may become, whatever its delivery.
            public var limit: Int64 = 4 << 30

            /// Creates the defaults: 100 times, 4 GiB.
            public init() {}
        }

        /// The way to the server.
        public enum Proxy: Sendable, Hashable {
            /// Straight to the server.
            case none
            /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
            case environment
            /// Through a server: `http:`, `https:` or `socks5:`, which resolves the names itself.
            ///
            /// `except` lists hosts, domains (`example.org` covers its subdomains) and addresses that are reached directly.
            case server(URL, credentials: Credentials? = nil, except: [String] = [])

            /// Name and password for a proxy.
            public struct Credentials: Sendable, Hashable {
                let user: String
                let password: String

                /// Creates credentials.
                public init(user: String, password: String) {
                    self.user = user
                    self.password = password
                }
            }
        }

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
            /// The lowest version that is accepted.
            public var minimumVersion = Version.tls12

            /// Creates the defaults: the system's authorities, TLS 1.2 or better.
            public init() {}
        }
    }
#endif
