#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    /// Sends requests over HTTP/3, through the gateway of `.ci/peers/run http3`: on one connection, with the port of each
    /// server in the field `x-peer`.
    struct GatewayTransport: Transport {
        /// It went over something else.
        struct NotHTTP3: Error { let version: String? }

        private let wire: CurlTransport
        private let oracle: HTTP3Oracle

        init?(_ configuration: CurlTransport.Configuration) {
            guard let oracle = HTTP3Oracle.here else { return nil }
            var configuration = configuration
            configuration.httpVersion = .http3
            configuration.tls.authorities = .file(oracle.authorities)
            (self.oracle, wire) = (oracle, CurlTransport(configuration: configuration))
        }

        var capabilities: TransportCapabilities { wire.capabilities }

        func clientIdentity(for url: URL) -> String? { wire.clientIdentity(for: url) }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            var passed = request
            // What is no address of a server of the suite is to be refused as it is.
            if let port = request.url.port, request.url.host() == "127.0.0.1",
                var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
            {
                (parts.scheme, parts.host, parts.port) = ("https", "localhost", oracle.gateway)
                if let url = parts.url { passed.url = url }
                passed.headers.append("x-peer", String(port))
            }
            var response = try await wire.send(passed)
            guard response.timings.httpVersion == "3" else { throw NotHTTP3(version: response.timings.httpVersion) }
            response.url = request.url
            return response
        }
    }
#endif
