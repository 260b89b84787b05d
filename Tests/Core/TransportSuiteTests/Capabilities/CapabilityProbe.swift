import CoreNetKitCurl
import TestSupport

/// An experiment that shows whether a transport really has a capability.
struct CapabilityProbe: Sendable {
    let capability: TransportCapabilities
    let show: @Sendable (Subject) async throws -> Bool

    static let all: [CapabilityProbe] =
        [
            CapabilityProbe(capability: .phaseTimeouts) { subject in
                let peer = try Peer(subject, .ok)
                try peer.server().onConnect { _ in .stall }
                // A server that accepts and says nothing: with TLS, that is still connecting.
                let limits = Timeouts(connect: .milliseconds(100), firstByte: nil, idle: nil)
                var request = try peer.request(timeouts: limits)
                request.url = try secure(request.url)
                let error = try await transportError { _ = try await peer.transport.send(request) }
                return error?.code == .timedOut && (error?.phase == .tls || error?.phase == .connect)
            },
            CapabilityProbe(capability: .timings) { subject in
                let peer = try Peer(subject, .text("x"), isFresh: true)
                let timings = try await peer.send().timings
                let version = subject == .http2 ? "2" : "1.1"
                return timings.connect != nil && timings.bytesReceived != nil && timings.httpVersion == version
            },
            CapabilityProbe(capability: .exactHeaders) { subject in
                let peer = try Peer(subject, .ok.header("X-A", "1").header("X-B", "2").header("X-A", "3"))
                let headers = try await peer.send().headers
                return headers.filter { $0.name.hasPrefix(subject.spelled("X-")) }.map(\.value) == ["1", "2", "3"]
            },
            encoding(.gzip, "gzip"), encoding(.brotli, "br"), encoding(.zstd, "zstd"),
            CapabilityProbe(capability: .bodyOnAnyMethod) { subject in
                let peer = try Peer(subject) { .text($0.text) }
                return try await peer.outcome(.get, body: .bytes(Data("text".utf8))) == .response(200, "text")
            },
            CapabilityProbe(capability: .identityCoding) { subject in
                let bytes = Compressed.samples.first { $0.encoding == "gzip" }?.bytes ?? []
                let peer = try Peer(subject, .data(Data(bytes)).header("Content-Encoding", "gzip"))
                var request = try peer.request()
                request.coding = .identity
                let content = try? await peer.transport.send(request).body.data
                return content == Data(bytes) && peer.seen.first?.headers["Accept-Encoding"] == "identity"
            },
            CapabilityProbe(capability: .duplex) { subject in
                let peer = try Peer(subject, .ok)
                return await peer.outcome(try peer.request(delivery: .duplex)) != .failure(.unsupported)
            },
        ] + ruled + platform

    /// Those of which a rule of conformance says what they are: it holds where they are there.
    private static let ruled = [
        TransportCapabilities.streamingUpload, .streamingDownload, .progress, .interimResponses, .trailers,
        .requestTrailers, .sentHeaders,
    ].map { capability in
        CapabilityProbe(capability: capability) { subject in
            // In this one the process would end.
            if capability == .trailers, subject.differs(.trailers) { return false }
            let rules = TransportConformance.rules.filter { $0.needs == capability }
            let violations = await rules.violations(except: []) { .init(transport: subject.transport) }
            return !rules.isEmpty && violations.isEmpty
        }
    }

    private static func encoding(_ capability: TransportCapabilities, _ name: String) -> CapabilityProbe {
        CapabilityProbe(capability: capability) { subject in
            let bytes = Compressed.samples.first { $0.encoding == name }?.bytes ?? []
            let peer = try Peer(subject, .data(Data(bytes)).header("Content-Encoding", name))
            return try await peer.outcome() == .response(200, Compressed.text)
        }
    }

    #if os(Linux)
        private static let platform = [
            setting(.http2Ping) { $0.http2PingInterval = .seconds(10) }, setting(.http3) { $0.httpVersion = .http3 },
            CapabilityProbe(capability: .proxies) { subject in
                guard subject.isCurl else { return false }
                let proxy = try LoopbackServer { .text($0.target) }
                var configuration = subject.configuration
                // HTTP/2 from the first byte would go through a tunnel.
                (configuration.proxy, configuration.httpVersion) = (.server(proxy.url), .automatic)
                return await target("http://no-such-host.invalid/x", configuration) == "http://no-such-host.invalid/x"
            },
            CapabilityProbe(capability: .unixSockets) { subject in
                guard subject.isCurl else { return false }
                let directory = try TemporaryFolder()
                let path = directory["s"].path
                let server = try LoopbackServer(on: .unixSocket(path)) { .text($0.target) }
                var configuration = subject.configuration
                configuration.unixSocket = path
                defer { server.stop() }
                return await target("http://localhost/x", configuration) == "/x"
            },
        ]

        /// What a setting of CurlTransport asks for, and is refused without it.
        private static func setting(
            _ capability: TransportCapabilities,
            _ change: @escaping @Sendable (inout CurlTransport.Configuration) -> Void
        ) -> CapabilityProbe {
            CapabilityProbe(capability: capability) { subject in
                guard subject.isCurl else { return false }
                var configuration = subject.configuration
                change(&configuration)
                let peer = try Peer(subject, .ok)
                let transport = CurlTransport(configuration: configuration)
                return try await transportError { _ = try await transport.send(peer.request()) }?.code != .unsupported
            }
        }

        private static func target(_ url: String, _ configuration: CurlTransport.Configuration) async -> String? {
            guard let url = URL(string: url) else { return nil }
            let transport = CurlTransport(configuration: configuration)
            guard case .response(_, let text) = await Outcome({ try await transport.send(TransportRequest(url: url)) })
            else { return nil }
            return text
        }
    #else
        private static let platform = [TransportCapabilities.http2Ping, .http3].map { capability in
            CapabilityProbe(capability: capability) { _ in false }
        }
    #endif

    private static func secure(_ url: URL) throws -> URL {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        components?.scheme = "https"
        return components?.url ?? url
    }
}
