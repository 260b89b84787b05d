#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("Curl: response heads", .timeLimit(.minutes(10)), .paced)
    struct CurlHeadTests {
        private let transport = CurlTransport()

        private func fields(_ lines: String) async throws -> Headers {
            let server = try LoopbackServer { _ in .raw("HTTP/1.1 200 OK\r\n\(lines)\r\nContent-Length: 2\r\n\r\nok") }
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

        @Test("refuses an endless head, in one line or in many", arguments: [1, 400])
        func endlessHead(lines: Int) async throws {
            let line = "X: \(String(repeating: "x", count: 1_200_000 / lines))\r\n"
            let head = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: lines)
            let server = try LoopbackServer { _ in .raw("\(head)Content-Length: 2\r\n\r\nok") }
            let error = await transport.error(of: TransportRequest(url: server.url("/")))
            #expect(error?.code == .invalidResponse && error?.phase == .receive)
        }
    }
#endif
