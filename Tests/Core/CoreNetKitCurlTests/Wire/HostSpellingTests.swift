#if os(Linux)
    @testable import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitLoopback
    import Foundation
    import TestPace
    import TestPrograms
    import Testing

    @Suite("A host in another spelling", .timeLimit(.minutes(10)), .paced)
    struct HostSpellingTests {
        static let addresses = [
            "127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "%3127.0.0.1", "127.0.0.1.",
        ]
        static let names = ["good.test", "GOOD.test", "g%6Fod.test", "good.test.", "%67%6f%6f%64%2etest"]

        @Test("is sent as the usual one, and uses its connections", arguments: LaneKind.all)
        func loopback(lane: LaneKind) async throws {
            let server = try LoopbackServer { .text($0.headers["Host"] ?? "none") }
            let transport = lane.transport()
            for host in Self.addresses {
                let response = try await transport.send(TransportRequest(url: url("http://\(host):\(server.port)/")))
                #expect(response.body.data == Data("127.0.0.1:\(server.port)".utf8), "\(host)")
            }
            #expect(server.counts.connections == 1)
            #expect(await transport.statistics().made == 1)
        }

        @Test(
            "of a name is sent as the usual one, and the resolver gets the dot at its end",
            arguments: LaneKind.all
        )
        func name(lane: LaneKind) async throws {
            let server = try LoopbackServer { .text($0.headers["Host"] ?? "none") }
            let transport = lane.transport { $0.addresses = ["Good.test.:\(server.port)": ["127.0.0.1"]] }
            for host in Self.names {
                let response = try await transport.send(TransportRequest(url: url("http://\(host):\(server.port)/")))
                #expect(response.body.data == Data("good.test:\(server.port)".utf8), "\(host)")
            }
            #expect(try Destination(url("https://A.test.:8443/x")).place == "https://a.test.:8443")
            #expect(try Destination(url("https://A.test.:8443/x")).key == "https://a.test:8443")
            #expect(try Destination(url("https://u:p@[FE80::1%25eth0]/x")).plainHost == "[fe80::1]")
        }

        @Test(
            "has the pins of the usual one, and its name in TLS",
            .enabled(if: NginxServer.isInstalled, "needs /usr/sbin/nginx and openssl"),
            arguments: LaneKind.all
        )
        func pins(lane: LaneKind) async throws {
            let certificates = try TestCertificates.shared.get()
            let nginx = try NginxServer(
                "server { listen unix:DIR/good ssl; location / { return 200 \"$host $ssl_server_name\"; } }"
            )
            for (pin, code) in [(certificates.pin, nil), (Data(count: 32).base64EncodedString(), .pinMismatch)]
                as [(String, TransportError.Code?)]
            {
                let transport = lane.transport {
                    $0.unixSocket = nginx.path("good")
                    $0.tls.authorities = .pem(certificates.data("ca.pem"))
                    $0.tls.requiresPins = true
                    $0.hosts["good.test", default: .init()].pinnedKeys = [pin]
                }
                for host in Self.names {
                    do {
                        let response = try await transport.send(TransportRequest(url: url("https://\(host)/")))
                        #expect(code == nil && response.body.data == Data("good.test good.test".utf8), "\(host)")
                    } catch let error as TransportError { #expect(error.code == code, "\(host): \(error)") }
                }
            }
        }

        @Test(
            "shows the client certificate of the usual one",
            .enabled(if: NginxServer.isInstalled, "needs /usr/sbin/nginx and openssl"),
            arguments: LaneKind.all
        )
        func identity(lane: LaneKind) async throws {
            let certificates = try TestCertificates.shared.get()
            let nginx = try NginxServer(
                """
                server { listen unix:DIR/client ssl; ssl_client_certificate DIR/ca.pem; ssl_verify_client on;
                         location / { return 200 "ok"; } }
                """
            )
            let transport = lane.transport {
                $0.unixSocket = nginx.path("client")
                $0.tls.authorities = .pem(certificates.data("ca.pem"))
                $0.hosts["good.test", default: .init()].identity = .pem(
                    certificate: certificates.data("client.pem"),
                    key: certificates.data("client.key")
                )
            }
            for host in Self.names {
                #expect(
                    try await transport.send(TransportRequest(url: url("https://\(host)/"))).status == 200,
                    "\(host)"
                )
            }
        }

        @Test("goes by the proxy of the usual one, with its credentials, or past it", arguments: LaneKind.all)
        func proxy(lane: LaneKind) async throws {
            let proxy = try LoopbackServer { .text($0.target) }
            let transport = lane.transport {
                $0.hosts["good.test", default: .init()].proxy = .server(
                    proxy.url,
                    credentials: .init(user: "me", password: "secret"),
                    except: ["good.test:81"]
                )
            }
            for host in Self.names {
                let response = try await transport.send(TransportRequest(url: url("http://\(host)/x")))
                #expect(
                    response.body.data.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix("http://good.test")
                        == true
                )
                for scheme in ["http", "https"] {
                    let error = await #expect(throws: TransportError.self) {
                        try await transport.send(TransportRequest(url: url("\(scheme)://\(host):81/x")))
                    }
                    #expect(error?.code == .cannotResolveHost, "\(scheme)://\(host)")
                }
            }
            #expect(proxy.requests.count == Self.names.count)
            #expect(proxy.requests.allSatisfy { $0.headers.contains("Proxy-Authorization") })
        }

        @Test("without a normal form is refused, and nothing is sent", arguments: LaneKind.all)
        func refused(lane: LaneKind) async throws {
            for host in ["1.2.3.256", "a%20b", "a%2fb", "a%00.test", "99999999999"] {
                let error = await #expect(throws: TransportError.self) {
                    try await lane.transport().send(TransportRequest(url: url("http://\(host)/")))
                }
                #expect(error?.code == .invalidRequest && error?.message == HostName.missing, "\(host)")
            }
        }

        @Test(
            "settings by host and port have both, and addresses are addresses",
            arguments: [
                ("good.test", ["127.0.0.1"]), ("good.test:", ["127.0.0.1"]), (":443", ["127.0.0.1"]),
                ("good.test:0", ["127.0.0.1"]), ("good.test:65536", ["127.0.0.1"]), ("a b:443", ["127.0.0.1"]),
                ("good.test:443", []), ("good.test:443", ["other.test"]),
            ]
        )
        func places(key: String, addresses: [String]) async throws {
            let transport = CurlTransport.made { $0.addresses = [key: addresses] }
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(TransportRequest(url: url("http://127.0.0.1:1/")))
            }
            #expect(error?.code == .invalidRequest && error?.message.contains("addresses[\"\(key)\"]") == true)
        }
    }
#endif
