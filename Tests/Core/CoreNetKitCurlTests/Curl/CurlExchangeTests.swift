#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("Curl: requests and responses", .timeLimit(.minutes(10)), .paced)
    struct CurlExchangeTests {
        private let transport = CurlTransport()

        static let bodies: [(HTTPMethod, RequestBody, String?)] = [
            (.get, .empty, nil), (.head, .empty, nil), (.delete, .empty, nil), (.options, .empty, nil),
            ("REPORT", .empty, nil), (.post, .empty, "0"), (.put, .empty, "0"), (.patch, .bytes(Data()), "0"),
            (.get, .bytes(Data("q".utf8)), "1"), (.delete, .bytes(Data("ab".utf8)), "2"),
            (.head, .bytes(Data("ab".utf8)), "2"), (.post, .bytes(Data("abc".utf8)), "3"),
            (.put, .bytes(Data("abc".utf8)), "3"), ("REPORT", .bytes(Data("abc".utf8)), "3"),
            (.post, .bytes(Data(repeating: 7, count: 100_000)), "100000"),
            (.patch, .bytes(Data(repeating: 7, count: 3_000_000)), "3000000"),
        ]

        @Test("sends method, content and length, and adds no field of its own", arguments: bodies)
        func methodsAndBodies(method: HTTPMethod, body: RequestBody, length: String?) async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let request = TransportRequest(method: method, url: server.url("/"), body: body)
            let response = try await transport.send(request)
            #expect(response.status == 200)
            #expect(response.body.data == (method == .head ? Data() : Data("ok".utf8)))
            let received = try #require(server.requests.first)
            #expect(received.method == method)
            #expect(received.body == body.data ?? Data())
            #expect(received.headers["Content-Length"] == length)
            let names = Set(received.headers.map { $0.name.lowercased() })
            #expect(names.subtracting(["host", "user-agent", "accept-encoding", "content-length"]) == [])
        }

        static let refused: [(TransportRequest, String)] = [
            (.init(method: "GE T", url: url("http://localhost/")), "method"),
            (.init(method: "", url: url("http://localhost/")), "method"),
            (.init(method: .connect, url: url("http://localhost/")), "CONNECT"),
            (.init(url: url("http://localhost/"), headers: ["X-A": "1\r\nX-B: 2"]), "X-A"),
            (.init(url: url("http://localhost/"), headers: ["X-A": "1\nX-B: 2"]), "X-A"),
            (.init(url: url("http://localhost/"), headers: ["X-A": "1\0"]), "X-A"),
            (.init(url: url("http://localhost/"), headers: ["X A": "1"]), "X A"),
            (.init(url: url("http://localhost/"), headers: ["X-A:": "1"]), "X-A:"),
            (.init(url: url("http://localhost/"), headers: ["": "1"]), "name"),
            (.init(url: url("http://localhost/"), headers: ["Host": "other"]), "Host"),
            (.init(url: url("http://localhost/"), headers: ["content-length": "5"]), "Content-Length"),
            (.init(url: url("http://localhost/"), headers: ["Transfer-Encoding": "gzip"]), "Transfer-Encoding"),
            (.init(url: url("ftp://localhost/")), "URL"),
            (.init(url: url("file:///etc/passwd")), "URL"),
            (.init(url: url("/relative")), "URL"),
            (.init(url: url("http://")), "URL"),
            (.init(url: url("http://localhost/"), timeouts: .init(total: .zero)), "total"),
            (.init(url: url("http://localhost/"), timeouts: .init(connect: .seconds(-1))), "connect"),
        ]

        @Test("refuses invalid HTTP before anything is sent, and says what is wrong", arguments: refused)
        func refusedRequests(request: TransportRequest, named: String) async throws {
            let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.phase == .queue)
            #expect(error?.message.contains(named) == true)
        }

        static let statuses = [200, 201, 204, 206, 300, 302, 304, 400, 401, 404, 407, 417, 451, 500, 503, 599, 999]

        @Test("returns every status as a response", arguments: statuses)
        func everyStatus(status: Int) async throws {
            let server = try LoopbackServer { _ in .status(status).header("WWW-Authenticate", "Basic realm=\"x\"") }
            let response = try await transport.send(TransportRequest(url: server.url("/")))
            #expect(response.status == status)
        }

        @Test("keeps dot segments and does not send the fragment")
        func exactPath() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            _ = try await transport.send(
                TransportRequest(url: url("http://127.0.0.1:\(server.port)/a/../b/./c?x=%2F#part"))
            )
            #expect(server.requests.first?.target == "/a/../b/./c?x=%2F")
        }

        @Test("reuses one connection for successive exchanges")
        func reuse() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            var ids: Set<Int64?> = []
            for _ in 0..<5 {
                ids.insert(try await transport.send(TransportRequest(url: server.url("/"))).timings.connectionID)
            }
            #expect(ids.count == 1)
            #expect(server.counts.connections == 1)
        }
    }

    func url(_ text: String) -> URL {
        guard let url = URL(string: text) else {
            Issue.record("not a URL: \(text)")
            return URL(filePath: "/")
        }
        return url
    }

    @Suite("Curl: response heads", .timeLimit(.minutes(10)), .paced)
    struct CurlHeadTests {
        private let transport = CurlTransport()

        private func fields(_ lines: String) async throws -> Headers {
            let server = try LoopbackServer { _ in
                .raw("HTTP/1.1 200 OK\r\n\(lines)\r\nContent-Length: 2\r\n\r\nok")
            }
            let response = try await transport.send(TransportRequest(url: server.url("/")))
            #expect(response.body.data == Data("ok".utf8))
            return response.headers
        }

        static let lines: [(String, [String])] = [
            ("X:y", ["y"]), ("X:", [""]), ("X: ", [""]), ("X:\t y \t", ["y"]), ("X: a: b", ["a: b"]),
            ("X: 1\r\nx: 2\r\nX: 1", ["1", "2", "1"]), ("X: a\r\n b\r\n\t c", ["a b c"]), ("X: grüße", ["grüße"]),
        ]

        @Test("reads values without a space, empty, folded and repeated", arguments: lines)
        func values(line: String, expected: [String]) async throws {
            let headers = try await fields(line)
            #expect(headers[values: "X"] == expected)
        }

        @Test("reads a head of 100 kB")
        func largeHead() async throws {
            let value = String(repeating: "x", count: 100_000)
            let headers = try await fields("X: \(value)")
            #expect(headers["X"]?.count == 100_000)
        }

        @Test("refuses an endless head, in one line or in many", arguments: [1, 400])
        func endlessHead(lines: Int) async throws {
            let line = "X: \(String(repeating: "x", count: 1_200_000 / lines))\r\n"
            let head = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: lines)
            let server = try LoopbackServer { _ in .raw("\(head)Content-Length: 2\r\n\r\nok") }
            let error = await transport.error(of: TransportRequest(url: server.url("/")))
            #expect(error?.code == .invalidResponse)
            #expect(error?.phase == .receive)
        }
    }
#endif
