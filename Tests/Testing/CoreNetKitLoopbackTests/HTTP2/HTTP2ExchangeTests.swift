#if os(Linux)
    import TestSupport

    @Suite("Loopback exchanges over HTTP/2", .timeLimit(.minutes(10)), .paced)
    struct HTTP2ExchangeTests {
        @Test("a handler responds, and the request is recorded as HTTP/1.1 would write it")
        func replies() async throws {
            let peer = HTTP2Peer(try LoopbackServer { .json(#"{"a":1}"#).header("X-Version", $0.httpVersion) })
            let body = RequestBody.bytes(Data("hello".utf8))
            let response = try await peer.send(.post, "/users/1?q=a%20b", headers: ["X-A": "1"], body: body)
            #expect(response.timings.httpVersion == "2")
            #expect(response.headers["Content-Type"] == "application/json")
            #expect(response.headers["Content-Length"] == "7")
            #expect(response.headers["X-Version"] == "2")
            #expect(response.body.data == Data(#"{"a":1}"#.utf8))
            let request = try await peer.server.request(at: 0)
            #expect(request.head.hasPrefix("POST /users/1?q=a%20b HTTP/2\r\nhost: 127.0.0.1:\(peer.server.port)\r\n"))
            #expect(request.head.hasSuffix("\r\n\r\n"))
            #expect(request.method == .post && request.path == "/users/1" && request.query("q") == "a b")
            #expect(request.headers[values: "X-A"] == ["1"])
            #expect(request.text == "hello" && request.bodyLength == 5 && request.trailers.isEmpty)
            try await peer.server.wait { $0.responses == 1 }
            #expect(peer.server.counts.heads == 1 && peer.server.counts.requests == 1)
        }

        @Test("HTTP/1.1 is spoken beside it, on the same port, whatever the first bytes have in common")
        func beside() async throws {
            let server = try LoopbackServer { .text("\($0.method) \($0.httpVersion)") }
            #expect(await HTTP2Peer(server).outcome() == "200 GET 2")
            for method in ["GET", "PUT", "PRI", "P"] {
                let body = try await onThread {
                    let client = try RawClient(server)
                    for byte in "\(method) * HTTP/1.1\r\n\r\n".utf8 { try client.send([byte]) }
                    return try client.readResponse().body
                }
                #expect(body == "\(method) 1.1")
            }
        }

        @Test("a preface that is followed by something else than frames ends the connection")
        func noFrames() async throws {
            let server = try LoopbackServer { _ in .ok }
            let ending = try await exchange(server, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nGET / HTTP/1.1\r\n\r\n") {
                $0.readToEnd().ending
            }
            #expect(ending == .closed)
            try await server.waitForDisconnect(of: 0)
            #expect(server.counts.requests == 0)
        }

        @Test("a hundred calls at once share a connection, and each gets its own response", arguments: [true, false])
        func parallel(isAsync: Bool) async throws {
            let server =
                isAsync
                ? try LoopbackServer { request in
                    await Task.yield()
                    return .text(request.path)
                } : try LoopbackServer { .text($0.path) }
            let peer = HTTP2Peer(server)
            let outcomes = await withTaskGroup(of: (Int, String).self) { group in
                for index in 0..<100 { group.addTask { (index, await peer.outcome(.get, "/\(index)")) } }
                return await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
            }
            for index in 0..<100 { #expect(outcomes[index] == "200 /\(index)") }
            #expect(server.counts.connections == 1)
            #expect(Set(server.requests.map(\.index)) == Set(0..<100))
            try await server.wait { $0.responses == 100 }
        }

        @Test("a response that ends the connection ends it behind those that were begun, and no request runs twice")
        func leaving() async throws {
            let server = try LoopbackServer { $0.path == "/9" ? .text($0.path).closing() : .text($0.path) }
            let peer = HTTP2Peer(server)
            await withTaskGroup { group in
                for index in 0..<60 {
                    group.addTask { #expect(await peer.outcome(.post, "/\(index)") == "200 /\(index)") }
                }
            }
            try await server.wait { $0.responses == 60 && $0.serverCloses == 1 }
            #expect(server.counts.requests == 60)
            #expect(server.counts.connections == 2)
        }

        static let large = Data.numbered(5 << 20)

        @Test("large content comes and goes whole, whether or not its length is told", arguments: [true, false])
        func large(isKnown: Bool) async throws {
            let server = try LoopbackServer {
                isKnown ? .data($0.body) : LoopbackResponse(body: .chunks([$0.body.prefix(9), $0.body.dropFirst(9)]))
            }
            let peer = HTTP2Peer(server)
            let body = isKnown ? RequestBody.bytes(Self.large) : .stream { Pieces(Self.large) }
            let response = try await peer.send(.put, body: body)
            let request = try await server.request(at: 0)
            let length = isKnown ? "\(Self.large.count)" : nil
            #expect(response.body.data == Self.large && response.headers["Content-Length"] == length)
            #expect(request.body == Self.large && request.headers["Content-Length"] == length)
        }

        @Test("only the first bytes of content are kept if there is a limit")
        func bodyLimit() async throws {
            let peer = HTTP2Peer(try LoopbackServer(bodyLimit: 10) { .text("\($0.bodyLength)") })
            #expect(await peer.outcome(.put, body: .bytes(Self.large)) == "200 \(Self.large.count)")
            #expect(try await peer.server.request(at: 0).body == Self.large.prefix(10))
        }

        @Test("a reader that stops holds up the server's content, and no other stream")
        func flowControl() async throws {
            let server = try LoopbackServer { request in
                guard request.path == "/" else { return .text("fine") }
                return .stream { $0 < 512 ? Data(repeating: UInt8(truncatingIfNeeded: $0), count: 1 << 16) : nil }
            }
            let peer = HTTP2Peer(server)
            let response = try await peer.send(delivery: .stream)
            for _ in 0..<20 { #expect(await peer.outcome(.get, "/other") == "200 fine") }
            #expect(server.counts.responses < 21)
            #expect(try await response.body.collect().count == 32 << 20)
            #expect(server.counts.connections == 1)
        }

        @Test("interim responses come before the final one, and trailers behind its content", arguments: ["", "abc"])
        func interim(_ text: String) async throws {
            let response = LoopbackResponse.text(text).preceded(by: 103, headers: ["Link": "</a>"]).preceded(by: 102)
                .trailer("X-Sum", "6")
            let received = try await HTTP2Peer(response).send()
            #expect(received.interim.map(\.status) == [103, 102])
            #expect(received.interim.first?.headers["Link"] == "</a>")
            #expect(received.trailers["X-Sum"] == "6")
            #expect(received.body.data == Data(text.utf8))
        }

        @Test("trailers of a request are recorded apart from its content")
        func requestTrailers() async throws {
            func frame(_ type: UInt8, _ flags: UInt8, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
                [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
            }
            let server = try LoopbackServer { .text($0.text) }
            let client = try RawClient(server)
            // By the static table (RFC 7541, A) POST, http, / and an authority; then a field that is in none.
            try client.send(
                Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, stream: 0, [])
                    + frame(1, 4, stream: 1, [0x83, 0x86, 0x84, 1, 1, UInt8(ascii: "x")])
                    + frame(0, 0, stream: 1, Array("abc".utf8))
                    + frame(1, 5, stream: 1, [0, 1, UInt8(ascii: "t"), 1, UInt8(ascii: "1")])
            )
            let request = try await server.request(at: 0)
            #expect(request.method == .post && request.target == "/" && request.text == "abc")
            #expect(request.trailers["T"] == "1" && request.headers == ["host": "x"])
            try await server.wait { $0.responses == 1 }
        }

        @Test("fields of a connection of HTTP/1.1 are left out")
        func connectionFields() async throws {
            let fields: Headers = [
                "Connection": "keep-alive", "Keep-Alive": "timeout=5", "Upgrade": "x", "Transfer-Encoding": "chunked",
                "X-A": "1",
            ]
            let received = try await HTTP2Peer(LoopbackResponse(headers: fields, body: .text("x"))).send()
            #expect(received.headers.map(\.name) == ["x-a", "content-length"])
        }

        @Test("a WebSocket is not offered")
        func socket() async throws {
            #expect(await (try HTTP2Peer(.socket { _ in })).outcome() == "426 ")
        }

        @Test("a body that is refused by its head is not read, and the connection stays")
        func refused() async throws {
            let server = try LoopbackServer { .text($0.text) }
            server.onHead(.put, "/") { _ in .text("too large", status: 413) }
            let peer = HTTP2Peer(server)
            #expect(await peer.outcome(.put, body: .bytes(Self.large)) == "413 too large")
            #expect(await peer.outcome(.post, body: .bytes(Data("next".utf8))) == "200 next")
            #expect(server.counts.heads == 2 && server.counts.requests == 1)
            #expect(server.counts.connections == 1)
        }

        @Test("a client that expects it is told to continue")
        func expects() async throws {
            let peer = HTTP2Peer(try LoopbackServer { .text("\($0.bodyLength)") })
            let outcome = try await peer.send(.put, headers: ["Expect": "100-continue"], body: .bytes(Self.large))
            #expect(outcome.body.data == Data("\(Self.large.count)".utf8))
        }

        @Test("connections and streams that are open end with the server")
        func stops() async throws {
            let server = try LoopbackServer { _ in .text("x").fault(.stall(.inBody(0))) }
            let peer = HTTP2Peer(server)
            let call = Task { await peer.outcome() }
            try await server.wait { $0.stalls == 1 }
            server.stop()
            #expect(await call.value == "connectionLost, 200 ")
            #expect(server.counts.open == 0)
        }

        @Test("without epoll it is the same")
        func portable() async throws {
            let peer = HTTP2Peer(try LoopbackServer(portable: true) { .data($0.body) })
            let response = try await peer.send(.put, body: .bytes(Self.large))
            #expect(response.body.data == Self.large)
        }
    }
#endif
