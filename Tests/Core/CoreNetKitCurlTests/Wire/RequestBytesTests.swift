#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("The wire: requests as they are sent", .timeLimit(.minutes(10)), .paced)
    struct RequestBytesTests {
        /// What is sent, up to the end of its content.
        private static func bytes(of request: TransportRequest, until end: String = "") async throws -> String {
            let sent = Locked("")
            let peer = try RawPeer { _, connection in
                guard let head = connection.head() else { return }
                let rest = connection.rest(until: end)
                sent.withLock { $0 = head + rest }
                connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            }
            var request = request
            request.headers["Accept-Encoding"] = "x"
            let transport = CurlTransport.made {
                let place = "127.0.0.1:\(peer.url.port ?? 0)"
                ($0.userAgent, $0.connectTo) = (nil, ["example.test:80": place, "example.test:8080": place])
            }
            _ = try await transport.send(request)
            return sent.withLock { $0 }
        }

        private static let abc = RequestBody.bytes(Data("abc".utf8))
        private static let once = RequestBody.chunks([Data("abc".utf8), Data(repeating: 0x2A, count: 20)])

        @Test(
            "the start line, Host and the length (RFC 9112, 3 and 6)",
            arguments: [
                ("GET", "", RequestBody.empty, "GET / HTTP/1.1\r\nHost: example.test\r\n", "\r\n"),
                ("GET", "?q=1#f", .empty, "GET /?q=1 HTTP/1.1\r\nHost: example.test\r\n", "\r\n"),
                ("GET", ":80/a", .empty, "GET /a HTTP/1.1\r\nHost: example.test\r\n", "\r\n"),
                ("GET", ":8080/a?", .empty, "GET /a? HTTP/1.1\r\nHost: example.test:8080\r\n", "\r\n"),
                ("HEAD", "/%2e/b", .empty, "HEAD /%2e/b HTTP/1.1\r\nHost: example.test\r\n", "\r\n"),
                ("DELETE", "/", .empty, "DELETE / HTTP/1.1\r\nHost: example.test\r\n", "\r\n"),
                ("POST", "/", .empty, "POST / HTTP/1.1\r\nHost: example.test\r\n", "Content-Length: 0\r\n\r\n"),
                ("PUT", "/", abc, "PUT / HTTP/1.1\r\nHost: example.test\r\n", "Content-Length: 3\r\n\r\nabc"),
                ("POST", "/", once, "POST / HTTP/1.1\r\nHost: example.test\r\n", "Transfer-Encoding: chunked\r\n\r\n"),
            ]
        )
        func message(method: String, rest: String, body: RequestBody, start: String, end: String) async throws {
            let place = url("http://example.test" + rest)
            let request = TransportRequest(method: HTTPMethod(rawValue: method), url: place, body: body)
            let last = !body.isReplayable ? "0\r\n\r\n" : body.data.map { String(decoding: $0, as: UTF8.self) } ?? ""
            let sent = try await Self.bytes(of: request, until: last)
            #expect(sent.hasPrefix(start))
            if body.isReplayable {
                #expect(sent.hasSuffix(end))
            } else {
                #expect(sent.contains(end))
                #expect(sent.hasSuffix("\r\n0\r\n\r\n"))
            }
        }

        @Test("an HTTP proxy gets the whole URL and the credentials; exceptions are reached directly")
        func proxies() async throws {
            let peer = try RawPeer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            let transport = CurlTransport.made {
                $0.proxy = .server(peer.url, credentials: .init(user: "me", password: "pass"), except: ["127.0.0.0/8"])
            }
            _ = try await transport.send(TransportRequest(url: url("http://far.test/a?b=1")))
            _ = try await transport.send(TransportRequest(url: peer.url))
            #expect(peer.requests.count == 2)
            #expect(peer.requests[0].hasPrefix("GET http://far.test/a?b=1 HTTP/1.1\r\nHost: far.test\r\n"))
            #expect(peer.requests[0].contains("Proxy-Authorization: Basic bWU6cGFzcw==\r\n"))
            #expect(peer.requests[1].hasPrefix("GET / HTTP/1.1\r\nHost: 127.0.0.1"))
            #expect(!peer.requests[1].contains("Proxy-Authorization"))
        }

        @Test("the URL's user and password are sent as credentials, unless the request has its own (RFC 7617)")
        func credentials() async throws {
            let place = url("http://me:p%40ss@example.test/")
            let sent = try await Self.bytes(of: TransportRequest(url: place))
            #expect(sent.hasPrefix("GET / HTTP/1.1\r\n"))
            #expect(sent.contains("\r\nHost: example.test\r\n"))
            #expect(sent.contains("\r\nAuthorization: Basic \(Data("me:p@ss".utf8).base64EncodedString())\r\n"))
            let own = try await Self.bytes(of: TransportRequest(url: place, headers: ["Authorization": "Bearer t"]))
            #expect(own.contains("\r\nAuthorization: Bearer t\r\n"))
            #expect(!own.contains("Basic"))
        }
    }
#endif
