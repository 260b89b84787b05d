public import CoreNetKitHTTP

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
    /// The way to the server; a proxy of `http:` is used by CONNECT for all requests.
    public typealias Proxy = TransportProxy

    /// The trusted authorities and the client's identity.
    public typealias TLS = TransportTLS

    /// The settings of one host, instead of those of all hosts.
    public typealias Host = TransportTLS.Host
}
