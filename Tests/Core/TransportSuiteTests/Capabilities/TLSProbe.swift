#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    /// An experiment that shows whether CurlTransport really has a capability of TLS or HTTP/2.
    struct TLSProbe: Sendable {
        let capability: TransportCapabilities
        let show: @Sendable (Nginx) async throws -> Bool

        static let all: [TLSProbe] = [
            TLSProbe(capability: .http2) { nginx in try await text(nginx, nginx.good) { _ in } == "HTTP/2.0" },
            TLSProbe(capability: .http2PriorKnowledge) { nginx in
                try await text(nginx, nginx.plain, scheme: "http") { $0.httpVersion = .http2PriorKnowledge }
                    == "HTTP/2.0"
            },
            TLSProbe(capability: .customTrust) { nginx in
                let pem = Data(try nginx.text("ca.pem").utf8)
                return try await text(nginx, nginx.good) { $0.tls.authorities = .pem(pem) } != nil
            },
            TLSProbe(capability: .clientCertificates) { nginx in
                let identity = CurlTransport.Configuration.TLS.Identity.files(
                    certificate: nginx.path("client.pem"),
                    key: nginx.path("client.key")
                )
                let without = try await text(nginx, nginx.client) { _ in }
                let with = try await text(nginx, nginx.client) { $0.tls.identity = identity }
                return without?.hasPrefix("HTTP/") != true && with == "HTTP/1.1"
            },
            TLSProbe(capability: .tlsDetails) { nginx in
                var configuration = CurlTransport.Configuration()
                configuration.tls.authorities = .file(nginx.path("ca.pem"))
                let transport = CurlTransport(configuration: configuration)
                let timings = try await transport.send(TransportRequest(url: nginx.url(nginx.good))).timings
                return timings.tlsVersion?.hasPrefix("TLSv1.") == true && timings.tlsCipher != nil
            },
            TLSProbe(capability: .publicKeyPinning) { nginx in
                let pin = try nginx.text("pin")
                let wrong = Data(count: 32).base64EncodedString()
                let right = try await text(nginx, nginx.good) { $0.tls.pinnedKeys = [wrong, pin] }
                let none = try await text(nginx, nginx.good) { $0.tls.pinnedKeys = [wrong] }
                return right != nil && none == nil
            },
            TLSProbe(capability: .preciseTLSErrors) { nginx in
                var configuration = CurlTransport.Configuration()
                configuration.tls.authorities = .file(nginx.path("ca.pem"))
                let transport = CurlTransport(configuration: configuration)
                let error = try await transportError {
                    _ = try await transport.send(TransportRequest(url: nginx.url(nginx.expired)))
                }
                return error?.code == .certificateExpired
            },
        ]

        private static func text(
            _ nginx: Nginx,
            _ port: Int,
            scheme: String = "https",
            _ configure: (inout CurlTransport.Configuration) -> Void
        ) async throws -> String? {
            var configuration = CurlTransport.Configuration()
            configuration.tls.authorities = .file(nginx.path("ca.pem"))
            configure(&configuration)
            let transport = CurlTransport(configuration: configuration)
            let request = TransportRequest(url: try nginx.url(port, scheme: scheme))
            guard case .response(_, let text) = await Outcome({ try await transport.send(request) }) else { return nil }
            return text
        }
    }
#endif
