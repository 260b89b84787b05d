#if os(Linux)
    import CoreNetKitLoopback
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

    @Suite("Curl: proxies", .timeLimit(.minutes(10)), .paced)
    struct CurlProxyTests {
        private func transport(_ proxy: CurlTransport.Configuration.Proxy) -> CurlTransport {
            var configuration = CurlTransport.Configuration()
            configuration.proxy = proxy
            return CurlTransport(configuration: configuration)
        }

        @Test("sends the whole URL and the credentials to an HTTP proxy")
        func plain() async throws {
            let proxy = try LoopbackServer { _ in .text("from the proxy") }
            let transport = transport(.server(proxy.url, credentials: .init(user: "me", password: "secret")))
            let response = try await transport.send(TransportRequest(url: url("http://nobody.invalid/a?b=c")))
            #expect(response.body.data == Data("from the proxy".utf8))
            let request = try #require(proxy.requests.first)
            #expect(request.target == "http://nobody.invalid/a?b=c")
            #expect(request.headers["Proxy-Authorization"] == "Basic bWU6c2VjcmV0")
            #expect(request.headers["Host"] == "nobody.invalid")
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
                let error = await #expect(throws: TransportError.self) {
                    try await transport(way).send(TransportRequest(url: url("http://nobody.invalid/")))
                }
                #expect(error?.code == .invalidRequest && error?.message.contains("proxy") == true)
            }
            #expect(proxy.counts.connections == 0)
        }

        @Test("reaches exceptions directly")
        func exceptions() async throws {
            let proxy = try LoopbackServer { _ in .text("proxy") }
            let server = try LoopbackServer { _ in .text("server") }
            let direct = transport(.server(proxy.url, except: ["example.org", "127.0.0.1"]))
            #expect(try await direct.send(.init(url: server.url("/"))).body.data == Data("server".utf8))
            let through = transport(.server(proxy.url, except: ["example.org"]))
            #expect(try await through.send(.init(url: server.url("/"))).body.data == Data("proxy".utf8))
        }

        @Test("a proxy that refuses a tunnel, or is not there, is a proxy failure without the credentials in its text")
        func refused() async throws {
            let proxy = try LoopbackServer { _ in .status(407) }
            let credentials = CurlTransport.Configuration.Proxy.Credentials(user: "me", password: "secret")
            for place in [proxy.url, try LoopbackServer.refusedURL()] {
                let error = await #expect(throws: TransportError.self) {
                    try await transport(.server(place, credentials: credentials))
                        .send(TransportRequest(url: url("https://nobody.invalid/")))
                }
                #expect(error?.code == .proxyFailed)
                #expect(error?.phase == .connect)
                #expect(error?.isSafeToResend == true)
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

        @Test(
            "a tunnel that is cut, is garbage or does not end is a proxy failure",
            arguments: brokenReplies.indices
        )
        func broken(index: Int) async throws {
            let reply = Self.brokenReplies[index]
            let proxy = try RawPeer { _, connection in
                if connection.head() != nil { connection.write(reply) }
            }
            for version in [CurlTransport.Configuration.HTTPVersion.http1, .automatic] {
                let transport = CurlTransport.made {
                    ($0.httpVersion, $0.proxy) = (version, .server(proxy.url))
                }
                let error = await #expect(throws: TransportError.self) {
                    try await transport.send(TransportRequest(method: .post, url: url("https://nobody.invalid/")))
                }
                #expect(
                    error?.code == .proxyFailed,
                    "\(version): \(error.map(String.init(describing:)) ?? "")"
                )
                #expect(error?.phase == .connect, "\(version)")
                #expect(error?.isSafeToResend == true, "\(version)")
            }
        }

        @Test("a name is not looked up here if a SOCKS proxy does it")
        func socks() async throws {
            let error = await #expect(throws: TransportError.self) {
                let text = try LoopbackServer.refusedURL().absoluteString.replacingOccurrences(
                    of: "http",
                    with: "socks5"
                )
                return try await transport(.server(url(text))).send(.init(url: url("http://nobody.invalid/")))
            }
            #expect(error?.code == .proxyFailed)
        }

        @Test("an unsupported kind of proxy is refused before anything is sent")
        func unknownKind() async throws {
            let error = await #expect(throws: TransportError.self) {
                try await transport(.server(url("gopher://127.0.0.1:1"))).send(.init(url: url("http://127.0.0.1:1/")))
            }
            #expect(error?.code == .unsupported)
        }
    }
#endif
