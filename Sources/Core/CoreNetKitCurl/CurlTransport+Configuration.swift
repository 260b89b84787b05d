#if os(Linux)
    public import CoreNetKitHTTP
    import CoreNetKitEssentials

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
                /// If a server was reached over TCP, UDP is tried again after 5 minutes, then 10, up to a day.
                case http3
                /// As `automatic`; HTTP/3 for the next connection to a server that has offered it by `Alt-Svc` on the
                /// same host and port (RFC 7838), until HTTP/3 fails there.
                ///
                /// A preference: as `automatic` without HTTP/3 in the library, through a proxy or over Unix domain
                /// sockets.
                case preferHTTP3
            }

            /// The most concurrent exchanges with one origin; others wait, and their wait counts as `queue`.
            ///
            /// With HTTP/1.1 each has its own connection, so this also limits connections; with HTTP/2 they share
            /// connections. 64 keeps one loop busy; more adds connections but hardly any throughput.
            public var connectionsPerHost = 64
            /// The maximum number of concurrent exchanges in total.
            public var totalConnections = 256
            /// How long an unused connection is kept for the next exchange, in whole seconds.
            public var idleConnectionLifetime: Duration = .seconds(60)
            /// The maximum age of a connection, in whole seconds; then the next exchange gets another one.
            ///
            /// `nil` means no limit. Behind a load balancer a limit lets a client find new servers.
            public var connectionLifetime: Duration?
            /// The maximum number of waiting requests; more are refused with `queueFull`, and `nil` means no limit.
            public var waitingLimit: Int?
            /// TCP probes on silent connections; `nil` sends none.
            public var keepAlive: KeepAlive?
            /// The silence after which an unused HTTP/2 connection is sent a PING frame; needs `TransportCapabilities.http2Ping`.
            ///
            /// A connection that owes a response is sent one after 5 seconds of silence in any case. Without any byte for 5 more
            /// seconds it is given up.
            public var http2PingInterval: Duration?
            /// Addresses to use for a host and port instead of resolving them: `"example.org:443": ["192.0.2.1"]`.
            public var addresses: [String: [String]] = [:]
            /// Other servers to connect to, for a host and port: `"example.org:443": "localhost:8443"`.
            ///
            /// Everything else stays the same, including the name that TLS uses.
            public var connectTo: [String: String] = [:]
            /// Which addresses are used.
            public var addressFamily = AddressFamily.any
            /// The network interface, address or host name that connections start from.
            public var interface: String?
            /// What holds for one host only: a client certificate is shown to no other host, and other hosts are not pinned.
            ///
            /// By name as in the URL, in lower case and without a port: `"api.example.org"`, `"[::1]"`, the path of a Unix domain
            /// socket. Anything else is refused with `invalidRequest`.
            public var hosts: [String: Host] = [:]
            /// Which HTTP versions are spoken.
            public var httpVersion = HTTPVersion.automatic
            /// The proxy, if any; the environment's `http_proxy` counts only if asked for by `.system`.
            public var proxy = Proxy.none
            /// The path of a Unix domain socket that every exchange uses.
            public var unixSocket: String?
            /// Whom to trust, and which identity to show.
            public var tls = TLS()
            /// The number of owner threads, each with its own connections; the limits are divided among them.
            public var loops = 1
            /// How much content may grow by decompression.
            public var decompression = Decompression()
            /// The `User-Agent` of requests that have none.
            public var userAgent: String? = "CoreNetKit"
            /// How long the content of an error may take where a file was wanted, as long as that of a refused stream.
            package var errorTimeout: Duration = .seconds(10)

            /// Creates the defaults.
            public init() {}

            /// More threads than 64 are a mistake.
            var loopCount: Int { min(max(1, loops), 64) }
        }
    }

    extension CurlTransport.Configuration {
        /// TCP probes that find out whether a silent peer is still there, in whole seconds.
        public struct KeepAlive: Sendable, Hashable {
            /// The silence before the first probe.
            public var idle: Duration = .seconds(60)
            /// The time between two probes.
            public var interval: Duration = .seconds(30)

            /// Creates the defaults: the first after a minute, then every 30 seconds.
            public init() {}
        }

        /// Which of a host's addresses are used.
        public enum AddressFamily: Sendable, Hashable {
            /// Both; the one that connects first is used.
            case any
            /// IPv4 only.
            case ipv4
            /// IPv6 only.
            case ipv6
        }

        /// The guard against content that is small on the wire and huge in memory.
        public struct Decompression: Sendable, Hashable {
            /// The maximum number of bytes that one byte from the wire may expand to; the first MiB is free.
            public var ratio = 100
            /// The maximum number of bytes that one response may expand to, whatever its delivery.
            public var limit: Int64 = 4 << 30

            /// Creates the defaults: 100 times, 4 GiB.
            public init() {}
        }

        /// The proxy, if any.
        public typealias Proxy = TransportProxy

        /// Whom to trust, and which identity to show.
        public typealias TLS = TransportTLS

        /// Settings of one host, instead of those of all hosts.
        public typealias Host = TransportTLS.Host
    }

    extension CurlTransport.Configuration {
        var mayUseProxy: Bool { ([proxy] + hosts.values.compactMap(\.proxy)).contains { $0 != .none } }

        /// What of it libcurl lacks, or would ignore in silence.
        var lacking: String? {
            if ([tls.pinnedCertificates] + hosts.values.map(\.pinnedCertificates)).contains(where: { !$0.isEmpty }) {
                return "pinned certificates, which libcurl lacks; `pinnedKeys` pins their keys"
            }
            for case .some(let identity) in [tls.identity] + hosts.values.map(\.identity) {
                switch identity {
                case .files, .pem: continue
                case .pkcs12, .keychain:
                    return "a client certificate that is not PEM; give its certificate and key in PEM"
                }
            }
            switch httpVersion {
            case .http2PriorKnowledge where !CurlLibrary.capabilities.contains(.http2PriorKnowledge):
                return "HTTP/2, whose library nghttp2 is not there"
            case .http3 where mayUseProxy: return "HTTP/3 and a proxy, which QUIC cannot pass"
            case .http3 where unixSocket != nil: return "HTTP/3 and a Unix domain socket, which has no UDP"
            case .http3 where !CurlLibrary.capabilities.contains(.http3):
                return "HTTP/3, which the installed libcurl does not support"
            case .automatic, .http1, .http2PriorKnowledge, .http3, .preferHTTP3: return nil
            }
        }
    }

    extension TransportTLS.Authorities {
        /// All certificates in PEM (RFC 7468, 5); `nil` for the system's and those of a file.
        var pem: Data? {
            certificates.map { list in
                Data(
                    list.map { bytes in
                        if bytes.firstRange(of: Data("-----BEGIN ".utf8)) != nil { return bytes }
                        let lines = bytes.base64EncodedString(options: .lineLength64Characters)
                        return Data("-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----".utf8)
                    }.joined(separator: [UInt8(ascii: "\n")])
                )
            }
        }
    }
#endif
