#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("Curl: TLS", .needsNginx, .timeLimit(.minutes(10)), .paced)
    struct CurlTLSTests {
        private let certificates: TestCertificates
        private let nginx: NginxServer

        init() throws {
            certificates = try TestCertificates.shared.get()
            nginx = try NginxServer(
                """
                server { listen unix:DIR/good ssl http2; location / { return 200 "ok"; } }
                server { listen unix:DIR/expired ssl; ssl_certificate DIR/expired.pem; ssl_certificate_key DIR/expired.key;
                         location / { return 200 "ok"; } }
                server { listen unix:DIR/alone ssl; ssl_certificate DIR/alone.pem; ssl_certificate_key DIR/alone.key;
                         location / { return 200 "ok"; } }
                server { listen unix:DIR/common ssl; ssl_certificate DIR/common.pem; ssl_certificate_key DIR/common.key;
                         location / { return 200 "ok"; } }
                server { listen unix:DIR/plain; location / { return 200 "ok"; } }
                """
            )
        }

        private func send(
            to server: String,
            host: String = "good.test",
            _ change: (inout CurlTransport.Configuration.TLS) -> Void = { _ in }
        ) async throws -> TransportResponse {
            let transport = try CurlTransport.trusting(nginx, server) { change(&$0.tls) }
            return try await transport.send(TransportRequest(url: url("https://\(host)/")))
        }

        @Test("trusts the given authorities")
        func trusted() async throws {
            let response = try await send(to: "good")
            #expect(response.status == 200)
            #expect(response.timings.tls != nil)
            #expect(response.timings.httpVersion == "2")
        }

        static let failures: [(String, String, TransportError.Code)] = [
            ("expired", "good.test", .certificateExpired), ("good", "wrong.test", .certificateWrongHost),
            ("alone", "good.test", .certificateUntrusted), ("plain", "good.test", .tlsFailed),
        ]

        @Test("says what is wrong with a certificate", arguments: failures)
        func refused(server: String, host: String, code: TransportError.Code) async throws {
            let error = await #expect(throws: TransportError.self) { try await send(to: server, host: host) }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(error?.phase == .tls && error?.isSafeToResend == true)
        }

        @Test(
            "refuses a certificate that has the server's name as common name only (RFC 9525, 6.3)",
            arguments: HTTPChoice.all
        )
        func commonName(http: HTTPChoice) async throws {
            let transport = try http.trusting { $0.unixSocket = nginx.path("common") }
            let error = await transport.error(of: TransportRequest(method: .post, url: url("https://good.test/")))
            #expect(error?.code == .certificateWrongHost && error?.phase == .tls && error?.isSafeToResend == true)
            #expect(error?.message.contains("common name") == true)
            #expect(try await send(to: "common") { $0.verifiesServer = false }.status == 200)
        }

        @Test("checks nothing if set so")
        func unchecked() async throws {
            for server in ["alone", "expired"] {
                #expect(try await send(to: server, host: "any.test") { $0.verifiesServer = false }.status == 200)
            }
        }

        @Test(
            "where pins are required, a server without one is refused before anything is sent, and a server with one is not"
        )
        func requiredPins() async throws {
            let error = await #expect(throws: TransportError.self) {
                try await send(to: "good") { $0.requiresPins = true }
            }
            #expect(error?.code == .pinMismatch && error?.message.contains("hosts[\"good.test\"]") == true)
            let pin = certificates.pin
            #expect(try await send(to: "good") { ($0.requiresPins, $0.pinnedKeys) = (true, [pin]) }.status == 200)
            let transport = try CurlTransport.trusting(nginx, "good") {
                $0.tls.requiresPins = true
                $0.hosts["good.test", default: .init()].pinnedKeys = [pin]
            }
            for name in ["good.test", "good.test:8443"] {
                #expect(try await transport.send(TransportRequest(url: url("https://\(name)/"))).status == 200)
            }
        }

        @Test(
            "settings for a name that no host can have are refused before anything is sent",
            arguments: ["Good.test", "good.test:443"]
        )
        func hostNames(_ name: String) async throws {
            let transport = CurlTransport.made {
                $0.unixSocket = nginx.path("good")
                $0.hosts[name, default: .init()].pinnedKeys = [certificates.pin]
            }
            let error = await transport.error(of: TransportRequest(url: url("https://good.test/")))
            #expect(error?.code == .invalidRequest && error?.message.contains(name) == true)
        }

        @Test("a pin that is not a Base64 SHA-256 is refused before anything is sent")
        func badPin() async throws {
            let error = await #expect(throws: TransportError.self) {
                try await send(to: "good") { $0.pinnedKeys = ["sha256/abc"] }
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Suite("What a transport says it tells a server about the caller", .timeLimit(.minutes(10)), .paced)
    struct ClientIdentityTests {
        private typealias Identity = CurlTransport.Configuration.TLS.Identity

        private static func pem(_ text: String) -> Identity {
            .pem(certificate: Data(text.utf8), key: Data("key".utf8), password: "secret")
        }

        private static func digest(_ text: String) -> String { Hex.encode(SHA256.digest(Array(text.utf8))) }

        private func told(_ text: String, _ identity: Identity? = nil, hosts: [String: Identity] = [:]) -> String? {
            let transport = CurlTransport.made {
                $0.tls.identity = identity
                for (name, identity) in hosts { $0.hosts[name, default: .init()].identity = identity }
            }
            return transport.clientIdentity(for: url(text))
        }

        @Test("it is the digest of the certificate for the host, and empty without one or without TLS")
        func digests() {
            let (alice, bob) = (Self.pem("alice"), Self.pem("bob"))
            #expect(told("https://a.test/") == "")
            #expect(told("https://a.test/", alice) == Self.digest("alice"))
            #expect(told("http://a.test/", alice) == "")
            #expect(told("https://a.test/x", alice, hosts: ["a.test": bob]) == Self.digest("bob"))
            #expect(told("https://b.test/x", alice, hosts: ["a.test": bob]) == Self.digest("alice"))
            #expect(told("https://b.test/x", hosts: ["a.test": bob]) == "")
        }

        @Test("a file's certificate is that of the same bytes, as it is now; one that cannot be read is unknown")
        func files() throws {
            let path = NSTemporaryDirectory() + "certificate-\(UUID().uuidString).pem"
            defer { try? FileManager.default.removeItem(atPath: path) }
            let identity = Identity.files(certificate: path, key: "/nowhere")
            #expect(told("https://a.test/", identity) == nil)
            for name in ["alice", "bob"] {
                try Data(name.utf8).write(to: URL(filePath: path))
                #expect(told("https://a.test/", identity) == Self.digest(name))
            }
        }
    }
#endif
