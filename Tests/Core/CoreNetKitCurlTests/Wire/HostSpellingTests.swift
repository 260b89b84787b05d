#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("A host in another spelling", .timeLimit(.minutes(10)), .paced)
    struct HostSpellingTests {
        static let addresses = [
            "127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "%3127.0.0.1", "127.0.0.1.",
        ]
        static let names = ["good.test", "GOOD.test", "g%6Fod.test", "good.test.", "%67%6f%6f%64%2etest"]

        @Test("is sent as the usual one, and uses its connections", arguments: HTTPChoice.all)
        func loopback(http: HTTPChoice) async throws {
            let server = try LoopbackServer { .text($0.headers["Host"] ?? "none") }
            let transport = http.transport()
            for host in Self.addresses {
                let text = try await transport.text(url("http://\(host):\(server.port)/"))
                #expect(text == "127.0.0.1:\(server.port)", "\(host)")
            }
            #expect(server.counts.connections == 1)
            #expect(await transport.statistics().connectionsCreated == 1)
        }

        @Test("of a name is sent as the usual one, and the resolver gets the dot at its end", arguments: HTTPChoice.all)
        func name(http: HTTPChoice) async throws {
            let server = try LoopbackServer { .text($0.headers["Host"] ?? "none") }
            let transport = http.transport { $0.addresses = ["Good.test.:\(server.port)": ["127.0.0.1"]] }
            for host in Self.names {
                let response = try await transport.send(TransportRequest(url: url("http://\(host):\(server.port)/")))
                #expect(response.body.data == Data("good.test:\(server.port)".utf8), "\(host)")
            }
            #expect(try Destination(text: "https://A.test.:8443/x").place == "https://a.test.:8443")
            #expect(try Destination(text: "https://A.test.:8443/x").key == "https://a.test:8443")
            #expect(try Destination(text: "https://u:p@[FE80::1%25eth0]/x").plainHost == "[fe80::1]")
        }

        @Test("has the pins of the usual one, and its name in TLS", .needsNginx, arguments: HTTPChoice.all)
        func pins(http: HTTPChoice) async throws {
            let certificates = try TestCertificates.shared.get()
            let nginx = try NginxServer(
                "server { listen unix:DIR/good ssl; location / { return 200 \"$host $ssl_server_name\"; } }"
            )
            for (pin, code) in [(certificates.pin, nil), (Data(count: 32).base64EncodedString(), .pinMismatch)]
                as [(String, TransportError.Code?)]
            {
                let transport = try http.trusting {
                    ($0.unixSocket, $0.tls.requiresPins) = (nginx.path("good"), true)
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

        @Test("shows the client certificate of the usual one", .needsNginx, arguments: HTTPChoice.all)
        func identity(http: HTTPChoice) async throws {
            let certificates = try TestCertificates.shared.get()
            let nginx = try NginxServer(
                """
                server { listen unix:DIR/client ssl; ssl_client_certificate DIR/ca.pem; ssl_verify_client on;
                         location / { return 200 "ok"; } }
                """
            )
            let transport = try http.trusting {
                $0.unixSocket = nginx.path("client")
                $0.hosts["good.test", default: .init()].identity = .pem(
                    certificate: certificates.data("client.pem"),
                    key: certificates.data("client.key")
                )
            }
            for host in Self.names {
                #expect(try await transport.text(url("https://\(host)/")) == "ok", "\(host)")
            }
        }

        @Test("goes by the proxy of the usual one, with its credentials, or past it", arguments: HTTPChoice.all)
        func proxy(http: HTTPChoice) async throws {
            let proxy = try LoopbackServer { .text($0.target) }
            let transport = http.transport {
                $0.hosts["good.test", default: .init()].proxy = .server(
                    proxy.url,
                    credentials: .init(user: "me", password: "secret"),
                    except: ["good.test:81"]
                )
            }
            for host in Self.names {
                #expect(try await transport.text(url("http://\(host)/x")).hasPrefix("http://good.test"))
                for scheme in ["http", "https"] {
                    let error = await transport.error(of: TransportRequest(url: url("\(scheme)://\(host):81/x")))
                    #expect(error?.code == .cannotResolveHost, "\(scheme)://\(host)")
                }
            }
            #expect(proxy.requests.count == Self.names.count)
            #expect(proxy.requests.allSatisfy { $0.headers.contains("Proxy-Authorization") })
        }

        @Test("without a normal form is refused, and nothing is sent", arguments: HTTPChoice.all)
        func refused(http: HTTPChoice) async throws {
            for host in ["1.2.3.256", "a%20b", "a%2fb", "a%00.test", "99999999999"] {
                let error = await http.transport().error(of: TransportRequest(url: url("http://\(host)/")))
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
            let error = await transport.error(of: TransportRequest(url: url("http://127.0.0.1:1/")))
            #expect(error?.code == .invalidRequest && error?.message.contains("addresses[\"\(key)\"]") == true)
        }
    }

    @Suite("Curl: the URL that is sent", .timeLimit(.minutes(10)), .paced)
    struct URLTests {
        @Test("is this request's own, even if it is repeated because a kept connection was dead")
        func repeated() async throws {
            let server = try LoopbackServer { request in
                request.index % 2 == 1 ? .text("x").fault(.reset(.beforeStatus)) : .text(request.target)
            }
            let transport = CurlTransport.made { $0.connectionsPerHost = 1 }
            for number in 0..<6 {
                let target = "/a/./b/../\(number)?x=\(number)%20&y"
                let response = try await transport.send(TransportRequest(url: server.url("/").appendingTarget(target)))
                #expect(response.body.data == Data(target.utf8))
            }
            #expect(server.requests.map(\.target).contains("/a/./b/../5?x=5%20&y"))
        }

        @Test(
            "keeps what libcurl could misinterpret",
            arguments: ["/%2e%2e/", "//x", "/?", "/a?b?c", "/;p"]
        )
        func exact(target: String) async throws {
            let server = try LoopbackServer { .text($0.target) }
            let transport = CurlTransport()
            for _ in 0..<2 {
                let place = server.url("/").appendingTarget(target)
                let response = try await transport.send(TransportRequest(url: place))
                #expect(response.body.data == Data(target.utf8))
            }
        }

        @Test(
            "refuses a name and a password that would mean others to the server (RFC 7617, 2)",
            arguments: ["a%3Ab:word", "a%0D%0AX:word", "a:%00", "a%7F", "a%09:b", "%FF:b"],
            HTTPChoice.all
        )
        func badCredentials(userinfo: String, http: HTTPChoice) async throws {
            let server = try LoopbackServer { _ in .ok }
            for host in ["127.0.0.1", "127.1"] {
                let place = url("http://\(userinfo)@\(host):\(server.port)/")
                let error = await http.transport().error(of: TransportRequest(url: place))
                #expect(error?.code == .invalidRequest && error?.message.contains("user name") == true)
            }
            #expect(server.counts.connections == 0)
        }
    }

    extension URL {
        fileprivate func appendingTarget(_ target: String) -> URL {
            TestSupport.url(absoluteString.dropLast() + target)
        }
    }
#endif
