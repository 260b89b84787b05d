#if os(Linux)
    import CoreNetKitLoopback
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

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

        @Test("reads bytes that are not UTF-8 as Latin-1")
        func latin1() async throws {
            var raw = Data("HTTP/1.1 200 OK\r\nX: gr".utf8)
            raw.append(contentsOf: [0xFC, 0xDF, 0x65])
            raw.append(Data("\r\nContent-Length: 0\r\n\r\n".utf8))
            let bytes = raw
            let server = try LoopbackServer { _ in .raw(bytes) }
            let response = try await transport.send(TransportRequest(url: server.url("/")))
            #expect(response.headers["X"] == "grüße")
        }

        @Test("keeps the order of the wire")
        func order() async throws {
            let headers = try await fields("B: 1\r\nA: 2\r\nC: 3\r\nA: 4")
            #expect(headers.map(\.name) == ["B", "A", "C", "A", "Content-Length"])
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
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(TransportRequest(url: server.url("/")))
            }
            #expect(error?.code == .invalidResponse)
            #expect(error?.phase == .receive)
        }

        @Test("skips informational responses")
        func informational() async throws {
            let server = try LoopbackServer { _ in
                .text("ok").preceded(by: 103, headers: ["Link": "</a>"]).header("X", "final")
            }
            let response = try await transport.send(TransportRequest(url: server.url("/")))
            #expect(response.status == 200)
            #expect(response.headers["Link"] == nil)
            #expect(response.headers["X"] == "final")
        }

        @Test("leaves trailers out of the head")
        func trailers() async throws {
            let server = try LoopbackServer { _ in .chunks("ab", "cd").trailer("X-Sum", "1") }
            let response = try await transport.send(TransportRequest(url: server.url("/")))
            #expect(response.body.data == Data("abcd".utf8))
            #expect(response.headers["X-Sum"] == nil)
        }

        @Test("reads a status without a reason, and skips forbidden content of a 204 or 304")
        func oddities() async throws {
            for head in ["HTTP/1.1 200\r\n", "HTTP/1.0 200 OK\r\n"] {
                let server = try LoopbackServer { _ in .raw("\(head)Content-Length: 2\r\n\r\nok") }
                let response = try await transport.send(TransportRequest(url: server.url("/")))
                #expect(response.body.data == Data("ok".utf8))
            }
            for status in [204, 304] {
                let server = try LoopbackServer { _ in .raw("HTTP/1.1 \(status) X\r\nContent-Length: 2\r\n\r\nok") }
                let response = try await transport.send(TransportRequest(url: server.url("/")))
                #expect(response.status == status)
                #expect(response.body.data == Data())
            }
        }
    }
#endif
