#if os(Linux)
    import TestSupport
    import CoreNetKitCurl

    @Suite("Curl: odd responses", .timeLimit(.minutes(10)), .paced)
    struct FaultWireTests {
        private let transport = CurlTransport()

        private func text(_ response: TransportResponse) -> String {
            String(decoding: response.body.data ?? Data(), as: UTF8.self)
        }

        @Test("HTTP/1.0 without a length ends with its connection, which is not reused")
        func http10() async throws {
            let server = try LoopbackServer { _ in .raw("HTTP/1.0 200 OK\r\nX: y\r\n\r\nall of it") }
            for _ in 0..<2 {
                let response = try await transport.send(TransportRequest(url: server.url("/")))
                #expect(text(response) == "all of it")
                #expect(response.timings.httpVersion == "1.0")
            }
            #expect(server.counts.connections == 2)
        }

        @Test("an oversized head is refused, one field or many", arguments: [1, 5000])
        func largeHead(fields: Int) async throws {
            let value = String(repeating: "v", count: 2_000_000 / fields)
            let lines = (0..<fields).map { "X-\($0): \(value)\r\n" }.joined()
            let server = try LoopbackServer { _ in
                .raw("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 2\r\n\r\nok", closes: true)
            }
            do {
                // An old libcurl limits one line, a newer one the whole head.
                let response = try await transport.send(TransportRequest(url: server.url("/")))
                #expect(fields > 1 && response.headers.count == fields + 1)
            } catch let error as TransportError {
                #expect(error.code == .invalidResponse)
                #expect(error.phase == .receive)
            }
            let plain = try LoopbackServer { _ in .text("ok") }
            #expect(try await transport.send(TransportRequest(url: plain.url("/"))).status == 200)
        }

        @Test("ten thousand short fields arrive, in order, or are refused by a libcurl that limits their number")
        func manyFields() async throws {
            let lines = (0..<10_000).map { "X-\($0): \($0)\r\n" }.joined()
            let server = try LoopbackServer { _ in
                .raw("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 2\r\n\r\nok", closes: false)
            }
            for _ in 0..<3 {
                let response: TransportResponse
                do {
                    response = try await transport.send(TransportRequest(url: server.url("/")))
                } catch let error as TransportError {
                    #expect(error.code == .invalidResponse && error.message.contains("Too many response headers"))
                    return
                }
                #expect(response.headers.count == 10_001)
                #expect(
                    response.headers.enumerated().prefix(10_000).allSatisfy {
                        $1.name == "X-\($0)" && $1.value == "\($0)"
                    }
                )
            }
            #expect(server.counts.connections == 1)
        }

        @Test("trailers that look like a status line or a length change nothing")
        func oddTrailers() async throws {
            let server = try LoopbackServer { _ in
                .raw(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"
                        + "Content-Length: 99\r\nContent-Encoding: gzip\r\nX: HTTP/1.1 500\r\n\r\n",
                    closes: false
                )
            }
            for _ in 0..<2 {
                let response = try await transport.send(TransportRequest(url: server.url("/")))
                #expect(response.status == 200)
                #expect(text(response) == "ok")
                #expect(response.headers.count == 1)
            }
        }

        @Test("bytes after a response without content are not taken for the next response", arguments: [204, 304])
        func bodyWhereNoneIs(status: Int) async throws {
            let server = try LoopbackServer { request in
                request.index == 0
                    ? .raw(
                        "HTTP/1.1 \(status) X\r\nContent-Length: 4\r\n\r\nHTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n",
                        closes: false
                    )
                    : .text("ok")
            }
            let first = try await transport.send(TransportRequest(url: server.url("/")))
            #expect(first.status == status)
            #expect(first.body.data == Data())
            let second = try await transport.send(TransportRequest(url: server.url("/")))
            #expect(second.status == 200)
            #expect(text(second) == "ok")
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

        @Test("a final response followed by another is one response, and its connection is not trusted")
        func twoResponses() async throws {
            let server = try LoopbackServer { request in
                request.index == 0
                    ? .raw(
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n",
                        closes: false
                    )
                    : .text("next")
            }
            #expect(try await text(transport.send(TransportRequest(url: server.url("/")))) == "ok")
            #expect(try await text(transport.send(TransportRequest(url: server.url("/")))) == "next")
        }

        @Test(
            "a request is not sent again if the server read it on a kept connection and closed",
            arguments: [true, false]
        )
        func notTwice(isSafe: Bool) async throws {
            let server = try LoopbackServer { request in
                request.index == 1 ? .text("x").fault(.close(.beforeStatus)) : .text("ok")
            }
            _ = try await transport.send(TransportRequest(url: server.url("/")))
            let request = TransportRequest(
                method: isSafe ? .get : .post,
                url: server.url("/"),
                body: isSafe ? .empty : .bytes(Data("order".utf8))
            )
            if isSafe {
                #expect(try await transport.send(request).status == 200)
            } else {
                let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
                #expect(error?.code == .connectionLost)
                #expect(error?.isSafeToResend == false)
                #expect(server.requests.filter { $0.method == .post }.count == 1)
            }
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
