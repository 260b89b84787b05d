#if os(Linux)
    import TestSupport
    import CoreNetKitCurl

    @Suite("Curl: odd responses", .timeLimit(.minutes(10)), .paced)
    struct FaultWireTests {
        private let transport = CurlTransport()

        @Test("HTTP/1.0 without a length ends with its connection, which is not reused")
        func http10() async throws {
            let server = try LoopbackServer { _ in .raw("HTTP/1.0 200 OK\r\nX: y\r\n\r\nall of it") }
            for _ in 0..<2 {
                let response = try await transport.send(TransportRequest(url: server.url("/")))
                #expect(response.body.data == Data("all of it".utf8))
                #expect(response.timings.httpVersion == "1.0")
            }
            #expect(server.counts.connections == 2)
        }

        @Test("HEAD ends at its head, whatever its length says, and keeps the connection")
        func head() async throws {
            let server = try LoopbackServer { _ in
                .raw("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", closes: false)
            }
            for _ in 0..<3 {
                let response = try await transport.send(TransportRequest(method: .head, url: server.url("/")))
                #expect(response.headers["Content-Length"] == "1000000")
                #expect(response.body.data == Data())
            }
            #expect(server.counts.connections == 1)
        }

        @Test("endless interim responses are ended by the limit for the first byte or the total limit")
        func interim() async throws {
            let server = try LoopbackServer { _ in
                .raw(String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", count: 1000), closes: false)
            }
            let limits = Timeouts(firstByte: .milliseconds(50), idle: .milliseconds(50), total: .seconds(5))
            let error = await transport.error(of: TransportRequest(url: server.url("/"), timeouts: limits))
            #expect(error?.code == .timedOut)
        }
    }
#endif
