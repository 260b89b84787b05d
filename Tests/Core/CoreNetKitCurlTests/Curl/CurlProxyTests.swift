#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport

    @Suite("Curl: proxies", .timeLimit(.minutes(10)), .paced)
    struct CurlProxyTests {
        private func transport(_ proxy: CurlTransport.Configuration.Proxy) -> CurlTransport {
            .made { $0.proxy = proxy }
        }

        @Test(
            "refuses a name and a password that would mean others to an HTTP proxy (RFC 7617, 2)",
            arguments: [("a:b", "c"), ("a\n", "c"), ("a", "c\u{0}")]
        )
        func badCredentials(user: String, password: String) async throws {
            let proxy = try LoopbackServer { _ in .ok }
            let name = user.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let word = password.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let ways: [CurlTransport.Configuration.Proxy] = [
                .server(proxy.url, credentials: .init(user: user, password: password)),
                .server(url("http://\(name):\(word)@127.0.0.1:\(proxy.port)")),
            ]
            for way in ways {
                let error = await transport(way).error(of: TransportRequest(url: url("http://nobody.invalid/")))
                #expect(error?.code == .invalidRequest && error?.message.contains("proxy") == true)
            }
            #expect(proxy.counts.connections == 0)
        }

        @Test("a proxy that refuses a tunnel, or is not there, is a proxy failure without the credentials in its text")
        func refused() async throws {
            let proxy = try LoopbackServer { _ in .status(407) }
            let credentials = CurlTransport.Configuration.Proxy.Credentials(user: "me", password: "secret")
            for place in [proxy.url, try LoopbackServer.unusedPortURL()] {
                let request = TransportRequest(url: url("https://nobody.invalid/"))
                let error = await transport(.server(place, credentials: credentials)).error(of: request)
                #expect(error?.code == .proxyFailed && error?.phase == .connect && error?.isSafeToResend == true)
                #expect(error.map { !"\($0)".contains("secret") } == true)
            }
            #expect(proxy.requests.first?.method == .connect)
            #expect(proxy.requests.first?.target == "nobody.invalid:443")
        }

        /// What a proxy says to CONNECT before it closes.
        private static let brokenReplies = [
            "", "HTTP/1.1 200 Est", "HTTP/1.1 200 Established\r\n", "garbage\r\n\r\n", "SSH-2.0-OpenSSH_9\r\n",
            "<html>hello</html>", "HTTP/1.1 200 Established\r\nX: \(String(repeating: "v", count: 1 << 20))\r\n\r\n",
            String(repeating: "v", count: 1 << 20),
        ]

        @Test("a tunnel that is cut, is garbage or does not end is a proxy failure", arguments: brokenReplies.indices)
        func broken(index: Int) async throws {
            let reply = Self.brokenReplies[index]
            let proxy = try RawPeer { _, connection in if connection.head() != nil { connection.write(reply) } }
            for version in [CurlTransport.Configuration.HTTPVersion.http1, .automatic] {
                let transport = CurlTransport.made { ($0.httpVersion, $0.proxy) = (version, .server(proxy.url)) }
                let error = await transport.error(of: .init(method: .post, url: url("https://nobody.invalid/")))
                #expect(error?.code == .proxyFailed, "\(version): \(error.map(String.init(describing:)) ?? "")")
                #expect(error?.phase == .connect, "\(version)")
                #expect(error?.isSafeToResend == true, "\(version)")
            }
        }

        @Test("a name is not looked up here if a SOCKS proxy does it")
        func socks() async throws {
            let place = url("socks5://127.0.0.1:\(try LoopbackServer.unusedPortURL().port ?? 0)")
            let error = await transport(.server(place)).error(of: .init(url: url("http://nobody.invalid/")))
            #expect(error?.code == .proxyFailed)
        }

        @Test("an unsupported kind of proxy is refused before anything is sent")
        func unknownKind() async throws {
            let transport = transport(.server(url("gopher://127.0.0.1:1")))
            let error = await transport.error(of: .init(url: url("http://127.0.0.1:1/")))
            #expect(error?.code == .unsupported)
        }
    }

    @Suite("Curl: a proxy of all hosts, of one, and of the environment", .timeLimit(.minutes(10)), .paced)
    struct ProxyPlaceTests {
        enum Place: CaseIterable {
            case all, withExceptions, oneHost, oneHostInstead

            func set(_ proxy: URL, in configuration: inout CurlTransport.Configuration) {
                switch self {
                case .all: configuration.proxy = .server(proxy)
                case .withExceptions: configuration.proxy = .server(proxy, except: ["other.invalid"])
                case .oneHost: configuration.hosts["there.invalid", default: .init()].proxy = .server(proxy)
                case .oneHostInstead:
                    configuration.proxy = .server(url("http://elsewhere.invalid:1"))
                    configuration.hosts["there.invalid", default: .init()].proxy = .server(proxy)
                }
            }
        }

        @Test("one that refuses the connection is a proxy failure, wherever it is set", arguments: HTTPChoice.all)
        func refused(http: HTTPChoice) async throws {
            let refused = try LoopbackServer.unusedPortURL().absoluteString
            for place in Place.allCases {
                for kind in ["http", "socks5"] {
                    let proxy = url(refused.replacingOccurrences(of: "http", with: kind))
                    let transport = http.transport { place.set(proxy, in: &$0) }
                    for target in ["http://there.invalid/", "https://there.invalid/"] {
                        let error = await transport.error(of: TransportRequest(method: .post, url: url(target)))
                        let what: Comment = "\(place), \(kind), \(target)"
                        #expect(error?.code == .proxyFailed, what)
                        #expect(error?.phase == .connect && error?.isSafeToResend == true, what)
                    }
                }
            }
        }

        @Test("a server that refuses the connection is no proxy, whatever others go through", arguments: HTTPChoice.all)
        func direct(http: HTTPChoice) async throws {
            let proxy = try LoopbackServer { _ in .text("proxy") }
            let refused = try LoopbackServer.unusedPortURL()
            let changes: [(inout CurlTransport.Configuration) -> Void] = [
                { $0.proxy = .server(proxy.url, except: ["127.0.0.1"]) },
                { $0.hosts["there.invalid", default: .init()].proxy = .server(proxy.url) },
                {
                    $0.proxy = .server(proxy.url)
                    $0.hosts["127.0.0.1", default: .init()].proxy = TransportProxy.none
                },
            ]
            for (index, change) in changes.enumerated() {
                let transport = http.transport(change)
                for scheme in ["http", "https"] {
                    let target = url("\(scheme)://127.0.0.1:\(refused.port ?? 0)/")
                    let error = await transport.error(of: TransportRequest(url: target))
                    #expect(error?.code == .cannotConnect, "\(index), \(scheme)")
                }
            }
            #expect(proxy.counts.requests == 0)
        }

        @Test("that of the environment counts for the schemes and hosts that it is for")
        func environment() throws {
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .system
            configuration.hosts["direct.test", default: .init()].proxy = TransportProxy.none
            let options = CurlOptions(configuration)
            let all = ["http://a.test/", "https://a.test/", "https://b.test:8443/", "https://direct.test/"]
            for (variables, expected) in [
                ([:], []), (["http_proxy": "p"], [0]), (["HTTP_PROXY": "p"], []), (["https_proxy": "p"], [1, 2]),
                (["HTTPS_PROXY": "p"], [1, 2]), (["all_proxy": "p"], [0, 1, 2]), (["ALL_PROXY": "p"], [0, 1, 2]),
                (["all_proxy": "p", "no_proxy": "b.test"], [0, 1]), (["https_proxy": "p", "NO_PROXY": "*"], []),
            ] as [([String: String], [Int])] {
                let found = try all.indices.filter {
                    options.usesProxy(to: try Destination(text: all[$0]), environment: { variables[$0] })
                }
                #expect(found == expected, "\(variables)")
            }
        }

        @Test("name and password for the proxy of all hosts are not told to that of one", arguments: HTTPChoice.all)
        func credentials(http: HTTPChoice) async throws {
            let proxy = try LoopbackServer { _ in .status(407) }
            let credentials = CurlTransport.Configuration.Proxy.Credentials(user: "me", password: "secret")
            let transport = http.transport {
                $0.proxy = .server(url("http://elsewhere.invalid:1"), credentials: credentials)
                $0.hosts["there.invalid", default: .init()].proxy = .server(proxy.url)
            }
            for target in ["http://there.invalid/", "https://there.invalid/"] {
                _ = try? await transport.send(TransportRequest(url: url(target)))
            }
            #expect(proxy.requests.count == 2)
            #expect(proxy.requests.allSatisfy { !$0.headers.contains("Proxy-Authorization") })
        }

        @Test(
            "that of the environment may be one host's, beside none for the others",
            .enabled(if: ProcessInfo.processInfo.environment["https_proxy"] != nil, "run with https_proxy set"),
            arguments: HTTPChoice.all
        )
        func systemOfOne(http: HTTPChoice) async throws {
            let transport = http.transport { $0.hosts["there.invalid", default: .init()].proxy = .system }
            for (target, code) in [
                ("https://there.invalid/", .proxyFailed), ("https://elsewhere.invalid/", .cannotResolveHost),
            ] as [(String, TransportError.Code)] {
                let error = await transport.error(of: TransportRequest(url: url(target)))
                #expect(error?.code == code, "\(target)")
            }
        }
    }
#endif
