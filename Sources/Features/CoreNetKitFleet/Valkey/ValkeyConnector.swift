import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

#if os(Linux)
    import CoreNetKitCurl
#endif

/// A connector that opens connections to a server with libcurl, which resolves names and does TLS.
struct ValkeyConnector: Sendable {
    /// The executor on which the connection is read and written without waking another thread, if there is one.
    var executor: (any TaskExecutor)?
    let open: @Sendable () async throws -> DuplexStream
}

extension ValkeyConnector {
    /// The time limit for a connection, including TLS.
    private static let limit = Duration.seconds(5)

    init(_ server: ValkeyStore.Server) {
        #if os(Linux)
            let transport = CurlTransport(configuration: ValkeyConnector.configuration(server))
            self.init(executor: transport.taskExecutor()) {
                let place = try ValkeyConnector.url(server)
                do {
                    return try await transport.connect(to: place, within: ValkeyConnector.limit)
                } catch let error as TransportError {
                    // The URL in the message is internal, so it is cut off.
                    let words = error.message.firstRange(of: " (http").map { error.message[..<$0.lowerBound] }
                    throw SharedStoreError(
                        error.code == .unsupported ? .unsupported : .unreachable,
                        "no connection to the store at \(server): \(error.code), \(words ?? error.message[...])"
                    )
                }
            }
        #else
            self.init {
                let message = "ValkeyStore connects only on Linux; use LocalStore, or a store over a client of your own"
                throw SharedStoreError(.unsupported, message)
            }
        #endif
    }

    /// The server's address as a URL, as the transport needs it.
    static func url(_ server: ValkeyStore.Server) throws(SharedStoreError) -> URL {
        switch server {
        case .tcp(let host, let port): return try url("http", host, port)
        case .tls(let host, let port, _): return try url("https", host, port)
        case .unix(let path):
            // `sun_path` has 108 bytes, including the terminating zero.
            guard path.hasPrefix("/"), path.utf8.count < 108, !path.utf8.contains(0) else {
                throw SharedStoreError(.invalid, "the path of a socket is absolute and has at most 107 bytes: \(path)")
            }
            return try url("http", "localhost", 80)
        }
    }

    private static func url(_ scheme: String, _ host: String, _ port: Int) throws(SharedStoreError) -> URL {
        let isPlain = host.utf8.allSatisfy { byte in
            byte == UInt8(ascii: ":") || PercentEncoding.Table.component.keeps(byte) && byte != UInt8(ascii: "~")
        }
        let place = host.contains(":") ? "[\(host)]" : host
        guard isPlain, !host.isEmpty, (1...65_535).contains(port),
            let url = URL(string: "\(scheme)://\(place):\(port)/")
        else {
            let message = "a store is at a host name or an address and a port of 1...65535: \(host):\(port)"
            throw SharedStoreError(.invalid, message)
        }
        return url
    }

    #if os(Linux)
        private static func configuration(_ server: ValkeyStore.Server) -> CurlTransport.Configuration {
            var configuration = CurlTransport.Configuration()
            configuration.keepAlive = .init()
            switch server {
            case .tcp: break
            case .unix(let path): configuration.unixSocket = path
            case .tls(_, _, let tls): configuration.tls = tls
            }
            return configuration
        }
    #endif
}
