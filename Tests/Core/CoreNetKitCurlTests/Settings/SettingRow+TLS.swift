#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    extension SettingRow {
        static let tls: [SettingRow] = [
            SettingRow(name: "tls.verifiesServer") { http in
                try await handshakes(http, "alone") { $0.tls.verifiesServer = false }
                try await handshakes(http, "alone", .certificateUntrusted)
            },
            SettingRow(name: "tls.authorities") { http in
                let nginx = try server("good")
                let own = try TestCertificates.shared.get()
                for (authorities, isTrusted) in [
                    (CurlTransport.Configuration.TLS.Authorities.pem(own.data("ca.pem")), true),
                    (.file(nginx.path("ca.pem")), true), (.pem(own.data("alone.pem")), false),
                    (.certificates([own.data("alone.pem"), try der(own.data("ca.pem"))]), true),
                    (.certificates([own.data("alone.pem")]), false), (.file(nginx.path("alone.pem")), false),
                ] {
                    let transport = http.transport {
                        ($0.unixSocket, $0.tls.authorities) = (nginx.path("tls"), authorities)
                    }
                    #expect((await transport.failure(url("https://good.test/")) == nil) == isTrusted)
                }
            },
            SettingRow(name: "tls.identity") { http in
                let nginx = try server("good")
                let own = try TestCertificates.shared.get()
                for (identity, isKnown) in [
                    (nil, false), (.pem(certificate: own.data("client.pem"), key: own.data("client.key")), true),
                    (.files(certificate: nginx.path("client.pem"), key: nginx.path("client.key")), true),
                ] as [(TransportTLS.Identity?, Bool)] {
                    let transport = http.transport {
                        ($0.unixSocket, $0.tls.verifiesServer, $0.tls.identity) = (nginx.path("tls"), false, identity)
                    }
                    #expect(try await transport.text(url("https://good.test/")).isEmpty == !isKnown)
                }
            },
            SettingRow(name: "tls.pinnedKeys") { http in
                let pin = try TestCertificates.shared.get().pin
                try await handshakes(http, "good") { $0.tls.pinnedKeys = [pin] }
                try await handshakes(http, "good", .pinMismatch) { $0.tls.pinnedKeys = [otherPin] }
            },
            SettingRow(name: "tls.pinnedCertificates") { http in
                let transport = http.transport { $0.tls.pinnedCertificates = [Data(count: 1)] }
                #expect(await transport.failure(url("https://good.test/")) == .unsupported)
            },
            SettingRow(name: "tls.requiresPins") { http in
                let pin = try TestCertificates.shared.get().pin
                try await handshakes(http, "good") { ($0.tls.requiresPins, $0.tls.pinnedKeys) = (true, [pin]) }
                try await handshakes(http, "good", .pinMismatch) { $0.tls.requiresPins = true }
            },
            SettingRow(name: "tls.revocationList") { http in
                let nginx = try server("revoked")
                let list = nginx.path("crl.pem")
                try await handshakes(http, "revoked")
                try await handshakes(http, "revoked", .certificateRevoked) { $0.tls.revocationList = list }
                try await handshakes(http, "good") { $0.tls.revocationList = list }
                withExtendedLifetime(nginx) {}
            },
            SettingRow(name: "tls.minimumVersion") { http in
                let options = "ssl_protocols TLSv1.2;"
                try await handshakes(http, "good", options: options)
                try await handshakes(http, "good", options: options, .tlsFailed) { $0.tls.minimumVersion = .tls13 }
            },
        ]

        static let hosts: [SettingRow] = [
            SettingRow(name: "hosts.identity") { http in
                let nginx = try server("good")
                let own = try TestCertificates.shared.get()
                typealias Identity = CurlTransport.Configuration.TLS.Identity
                func bytes(_ name: String) -> Identity {
                    .pem(certificate: own.data("\(name).pem"), key: own.data("\(name).key"))
                }
                func files(_ name: String) -> Identity {
                    .files(certificate: nginx.path("\(name).pem"), key: nginx.path("\(name).key"))
                }
                for (ofAll, ofOne) in [
                    (bytes("client"), files("good")), (files("client"), bytes("good")),
                    (bytes("client"), bytes("good")), (files("client"), files("good")), (nil, bytes("good")),
                ] as [(Identity?, Identity)] {
                    let transport = http.transport {
                        ($0.unixSocket, $0.tls.verifiesServer, $0.tls.identity) = (nginx.path("tls"), false, ofAll)
                        $0.hosts["one.test", default: .init()].identity = ofOne
                    }
                    let alone = http.transport {
                        ($0.unixSocket, $0.tls.verifiesServer, $0.tls.identity) = (nginx.path("tls"), false, ofOne)
                    }
                    let expected = try await alone.text(url("https://good.test/"))
                    #expect(!expected.isEmpty)
                    let others = try await transport.text(url("https://other.test/"))
                    #expect(others != expected && others.isEmpty == (ofAll == nil))
                    #expect(try await transport.text(url("https://one.test/")) == expected)
                    #expect(try await transport.text(url("https://other.test/")) == others)
                }
            },
            SettingRow(name: "hosts.pinnedKeys") { http in
                let nginx = try server("good")
                let pin = try TestCertificates.shared.get().pin
                for (ofAll, ofOne, codes) in [
                    ([], [otherPin], [nil, .pinMismatch]), ([otherPin], [pin], [.pinMismatch, nil]),
                    ([pin], [], [nil, nil]),
                ] as [([String], [String], [TransportError.Code?])] {
                    let transport = http.transport {
                        ($0.unixSocket, $0.tls.verifiesServer, $0.tls.pinnedKeys) = (nginx.path("tls"), false, ofAll)
                        $0.hosts["one.test", default: .init()].pinnedKeys = ofOne
                    }
                    #expect(await transport.failure(url("https://other.test/")) == codes[0])
                    #expect(await transport.failure(url("https://one.test/")) == codes[1])
                }
            },
            SettingRow(name: "hosts.pinnedCertificates") { http in
                let certificates = [Data(count: 1)]
                let transport = http.transport {
                    $0.hosts["one.test", default: .init()].pinnedCertificates = certificates
                }
                #expect(await transport.failure(url("https://good.test/")) == .unsupported)
            },
            SettingRow(name: "hosts.proxy") { http in
                let (one, all) = (try LoopbackServer { _ in .text("one") }, try LoopbackServer { _ in .text("all") })
                let server = try LoopbackServer { _ in .text("server") }
                let transport = http.transport {
                    $0.proxy = .server(all.url)
                    $0.hosts["one.test", default: .init()].proxy = .server(one.url)
                    $0.hosts["127.0.0.1", default: .init()].proxy = TransportProxy.none
                }
                #expect(try await transport.text(url("http://other.test/")) == "all")
                #expect(try await transport.text(url("http://one.test/")) == "one")
                #expect(try await transport.text(server.url("/")) == "server")
                #expect(try await transport.text(url("http://other.test/")) == "all")
            },
        ]

        private static func der(_ pem: Data) throws -> Data {
            let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-----") }
            return try #require(Data(base64Encoded: lines.joined()))
        }

        private static let otherPin = Data(repeating: 1, count: 32).base64EncodedString()

        private static func server(_ name: String, options: String = "") throws -> NginxServer {
            try NginxServer(
                """
                server {
                    listen unix:DIR/tls ssl; ssl_verify_client optional_no_ca; \(options)
                    ssl_certificate DIR/\(name).pem; ssl_certificate_key DIR/\(name).key;
                    location / { return 200 "$ssl_client_serial"; }
                }
                """
            )
        }

        /// What comes of a configuration that trusts the authority of the tests.
        private static func handshakes(
            _ http: HTTPChoice,
            _ certificate: String,
            options: String = "",
            _ code: TransportError.Code? = nil,
            _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
        ) async throws {
            let nginx = try server(certificate, options: options)
            let transport = try http.trusting {
                $0.unixSocket = nginx.path("tls")
                change(&$0)
            }
            #expect(await transport.failure(url("https://good.test/")) == code)
            withExtendedLifetime(nginx) {}
        }
    }
#endif
