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
                var request = try peer.request(
                    timeouts: Timeouts(connect: .milliseconds(100), firstByte: nil, idle: nil)
                )
                request.url = try secure(request.url)
                let error = await failure { try await peer.transport.send(request) }
                return error?.code == .timedOut && (error?.phase == .tls || error?.phase == .connect)
            },
            CapabilityProbe(capability: .streamingUpload) { subject in
                let peer = try Peer(subject) { .text($0.text) }
                return try await peer.outcome(.put, body: .stream { Pieces(Data("text".utf8)) })
                    == .response(200, "text")
            },
            CapabilityProbe(capability: .streamingDownload) { subject in
                let gate = LoopbackGate()
                let peer = try Peer(subject, .text("0123456789").fault(.stall(.inBody(5), until: gate)))
                let response = try await peer.send(delivery: .stream)
                gate.open()
                return try await response.body.collect() == Data("0123456789".utf8)
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
        ] + openings + platform

    private static let openings = [
        CapabilityProbe(capability: .identityCoding) { subject in
            let bytes = Compressed.samples.first { $0.encoding == "gzip" }?.bytes ?? []
            let peer = try Peer(subject, .data(Data(bytes)).header("Content-Encoding", "gzip"))
            var request = try peer.request()
            request.coding = .identity
            let content = try? await peer.transport.send(request).body.data
            return content == Data(bytes) && peer.seen.first?.headers["Accept-Encoding"] == "identity"
        },
        CapabilityProbe(capability: .progress) { subject in
            let peer = try Peer(subject, .text("0123456789"))
            var request = try peer.request(.put, body: .bytes(Data(count: 5)))
            let monitor = ExchangeMonitor()
            request.monitor = monitor
            _ = try? await peer.transport.send(request)
            return monitor.state.bytesSent == 5 && monitor.state.bytesReceived == 10 && monitor.state.isEnded
        },
        CapabilityProbe(capability: .interimResponses) { subject in
            let peer = try Peer(subject, .text("ok").preceded(by: 103))
            return try await peer.send().interim == [InterimResponse(status: 103)]
        },
        CapabilityProbe(capability: .trailers) { subject in
            guard !subject.differs(.trailers) else { return false }
            let peer = try Peer(subject, .chunks("abc").trailer("X-Sum", "6"))
            return try await peer.send().trailers["X-Sum"] == "6"
        },
        CapabilityProbe(capability: .requestTrailers) { subject in
            let peer = try Peer(subject, .ok)
            let body = RequestBody.stream { Pieces(Data("text".utf8)) }.trailer("X-Sum") { "6" }
            _ = try await peer.outcome(.put, body: body)
            return peer.seen.first?.trailers["X-Sum"] == "6"
        },
        CapabilityProbe(capability: .sentHeaders) { subject in
            let peer = try Peer(subject, .ok)
            var request = try peer.request()
            request.reportsSentHeaders = true
            guard let sent = try? await peer.transport.send(request).sentHeaders else { return false }
            return sent == peer.seen.first?.headers
        },
        CapabilityProbe(capability: .duplex) { subject in
            let peer = try Peer(subject, .ok)
            return await peer.outcome(try peer.request(delivery: .duplex)) != .failure(.unsupported)
        },
    ]

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
                return await failure { try await transport.send(try peer.request()) }?.code != .unsupported
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

    static func failure(_ call: () async throws -> TransportResponse) async -> TransportError? {
        do {
            _ = try await call()
            return nil
        } catch {
            return error as? TransportError
        }
    }
}
