#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    extension SettingRow {
        static let places: [SettingRow] = [
            SettingRow(name: "addresses") { http in
                let server = try LoopbackServer { .text($0.headers["Host"] ?? "") }
                let transport = http.transport { $0.addresses = ["there.invalid:\(server.port)": ["127.0.0.1"]] }
                let place = url("http://there.invalid:\(server.port)/")
                #expect(try await transport.text(place) == "there.invalid:\(server.port)")
            },
            SettingRow(name: "connectTo") { http in
                let server = try LoopbackServer { .text($0.headers["Host"] ?? "") }
                let transport = http.transport { $0.connectTo = ["there.invalid:80": "127.0.0.1:\(server.port)"] }
                #expect(try await transport.text(url("http://there.invalid/")) == "there.invalid")
            },
            SettingRow(name: "addressFamily") { http in
                let server = try LoopbackServer { _ in .text("x") }
                for (family, isReached) in [(CurlTransport.Configuration.AddressFamily.ipv4, true), (.ipv6, false)] {
                    let transport = http.transport { $0.addressFamily = family }
                    #expect((await transport.failure(server.url("/")) == nil) == isReached, "\(family)")
                }
                #expect(server.counts.connections == 1)
            },
            SettingRow(name: "interface") { http in
                let server = try LoopbackServer { _ in .text("x") }
                for (interface, isThere) in [("127.0.0.1", true), ("no-such-interface", false)] {
                    let transport = http.transport { $0.interface = interface }
                    #expect((await transport.failure(server.url("/")) == nil) == isThere, "\(interface)")
                }
                #expect(server.counts.connections == 1)
            },
            SettingRow(name: "proxy") { http in
                let proxy = try LoopbackServer { $0.method == .connect ? .status(403) : .text($0.target) }
                let transport = http.transport { $0.proxy = .server(proxy.url, except: ["direct.invalid"]) }
                #expect(try await transport.text(url("http://there.invalid/a")) == "http://there.invalid/a")
                #expect(await transport.failure(url("https://there.invalid/")) == .proxyFailed)
                #expect(proxy.requests.last?.target == "there.invalid:443")
                #expect(await transport.failure(url("http://direct.invalid/")) == .cannotResolveHost)
                #expect(proxy.requests.count == 2)
            },
            SettingRow(name: "unixSocket") { http in
                let nginx = try NginxServer("server { listen unix:DIR/plain; location / { return 200 $host; } }")
                let transport = http.transport { $0.unixSocket = nginx.path("plain") }
                #expect(try await transport.text(url("http://there.invalid/")) == "there.invalid")
            },
            SettingRow(name: "httpVersion") { http in
                let peer = try RawPeer { peer, connection in
                    peer.note(String(decoding: connection.read(24), as: UTF8.self))
                }
                _ = await http.transport { $0.httpVersion = .http2PriorKnowledge }.failure(peer.url)
                #expect(peer.requests.first == "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                let nginx = try NginxServer(
                    "server { listen unix:DIR/tls ssl http2; location / { return 200 $server_protocol; } }"
                )
                for (version, text) in [
                    (CurlTransport.Configuration.HTTPVersion.automatic, "HTTP/2.0"), (.http1, "HTTP/1.1"),
                ] {
                    let transport = http.transport {
                        ($0.unixSocket, $0.tls.verifiesServer, $0.httpVersion) = (nginx.path("tls"), false, version)
                    }
                    #expect(try await transport.text(url("https://good.test/")) == text)
                }
            },
        ]

        static let content: [SettingRow] = [
            SettingRow(name: "decompression.ratio") { http in
                for (ratio, code) in [(100, TransportError.Code.responseTooLarge), (200, nil)] {
                    let server = try LoopbackServer { _ in
                        .data(Gzip.zeros(2_000_000)).header("Content-Encoding", "gzip")
                    }
                    // Collected content has a limit of its own.
                    let transport = http.transport { $0.decompression.ratio = ratio }
                    var failure: TransportError.Code?
                    do {
                        let request = TransportRequest(url: server.url("/"), delivery: .stream)
                        _ = try await transport.send(request).body.collect()
                    } catch let error as TransportError {
                        failure = error.code
                    }
                    #expect(failure == code)
                }
            },
            SettingRow(name: "decompression.limit") { http in
                for (limit, code) in [(Int64(9999), TransportError.Code.responseTooLarge), (10_000, nil)] {
                    let server = try LoopbackServer { _ in .data(Gzip.zeros(10_000)).header("Content-Encoding", "gzip")
                    }
                    let transport = http.transport { $0.decompression.limit = limit }
                    #expect(await transport.failure(server.url("/")) == code)
                }
            },
            SettingRow(name: "userAgent") { http in
                let server = try LoopbackServer { .text($0.headers["User-Agent"] ?? "none") }
                for (agent, text) in [("App/1", "App/1"), (nil, "none")] {
                    #expect(try await http.transport { $0.userAgent = agent }.text(server.url("/")) == text)
                }
            },
            SettingRow(name: "errorTimeout") { http in
                let server = try LoopbackServer { _ in .text("why", status: 500) }
                for (timeout, code) in [(Duration.zero, TransportError.Code.timedOut), (.seconds(60), nil)] {
                    let folder = try TemporaryFolder()
                    let request = TransportRequest(url: server.url("/"), delivery: .file(folder["file"]))
                    let response = try await http.transport { $0.errorTimeout = timeout }.send(request)
                    #expect(response.body.data == Data("why".utf8) && response.contentFailure?.code == code)
                }
            },
        ]
    }
#endif
