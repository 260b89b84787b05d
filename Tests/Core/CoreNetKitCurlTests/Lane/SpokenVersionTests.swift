#if os(Linux)
    @testable import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import TestPrograms
    import Testing

    @Suite("Lane of the wire: what a server speaks", .timeLimit(.minutes(10)), .paced)
    struct SpokenVersionTests {
        private func transfer(
            _ configuration: CurlTransport.Configuration,
            delivery: ResponseDelivery = .collect
        ) throws -> Transfer {
            let request = TransportRequest(url: url("https://good.test/"), delivery: delivery)
            let options = CurlOptions(configuration)
            return try Transfer(request, file: nil, files: FileThread(), options: options, spoken: { _ in nil })
        }

        @Test("only an exchange whose lane depends on it asks, and keeps others waiting")
        func whoAsks() throws {
            var configuration = CurlTransport.Configuration()
            #expect(try transfer(configuration).isUncertain)
            #expect(try !transfer(configuration, delivery: .duplex).isUncertain)
            configuration.http1 = .libcurl
            #expect(try !transfer(configuration).isUncertain)
        }

        @Test(
            "is learned again from a kept HTTP/2 connection after it was forgotten",
            .enabled(if: NginxServer.isInstalled, "needs /usr/sbin/nginx and openssl")
        )
        func renewed() async throws {
            let nginx = try NginxServer("server { listen unix:DIR/tls ssl http2; location / { return 200 ok; } }")
            var configuration = CurlTransport.Configuration()
            configuration.unixSocket = nginx.path("tls")
            configuration.tls.authorities = .pem(try TestCertificates.shared.get().data("ca.pem"))
            let transport = CurlTransport(configuration: configuration)
            let request = TransportRequest(url: url("https://good.test/"))
            let spoken = transport.loops[0].spoken
            #expect(try await transport.send(request).timings.httpVersion == "2")
            #expect(spoken.version(of: "https://good.test") == .newer)
            spoken.note(nil, of: "https://good.test", now: 0)
            #expect(try await transport.send(request).timings.isConnectionReused == true)
            #expect(spoken.version(of: "https://good.test") == .newer)
            withExtendedLifetime(nginx) {}
        }
    }
#endif
