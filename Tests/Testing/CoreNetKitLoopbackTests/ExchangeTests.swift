import TestSupport

@Suite("Loopback exchanges", .timeLimit(.minutes(10)), .paced)
struct ExchangeTests {
    @Test("a handler responds, and the request is recorded byte for byte")
    func replies() async throws {
        let server = try LoopbackServer { _ in .json(#"{"a":1}"#) }
        let wire =
            "POST /users/1?q=a%20b+c&flag HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nx-a:  2 \r\nContent-Length: 5\r\n\r\nhello"
        let response = try await exchange(server, wire)
        #expect(response.head == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n")
        #expect(response.body == #"{"a":1}"#)
        let request = try await server.request(at: 0)
        #expect(request.raw == Data(wire.utf8))
        #expect(request.method == .post)
        #expect(request.target == "/users/1?q=a%20b+c&flag")
        #expect(request.path == "/users/1")
        #expect(request.query == [.init("q", "a b c"), .init("flag", "")])
        #expect(request.headers[values: "X-A"] == ["1", "2"])
        #expect(request.text == "hello")
        #expect(request.body == Data("hello".utf8))
    }

    @Test("requests on one connection get responses in order, even if they arrive in one piece")
    func pipelining() async throws {
        let server = try LoopbackServer { .text($0.path) }
        let texts = try await exchange(server, (0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()) {
            client in
            try (0..<50).map { _ in try client.readResponse().body }
        }
        #expect(texts == (0..<50).map { "/\($0)" })
        #expect(server.counts.connections == 1)
        #expect(server.requests.map(\.connection) == Array(repeating: 0, count: 50))
    }

    @Test("requests that arrive a byte at a time are read like others")
    func byteByByte() async throws {
        let server = try LoopbackServer { .text($0.text) }
        let wire =
            "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
        let body = try await onThread {
            let client = try RawClient(server)
            for byte in wire.utf8 { try client.send([byte]) }
            return try client.readResponse().body
        }
        #expect(body == "abc0123456789")
        let request = try await server.request(at: 0)
        #expect(request.raw == Data(wire.utf8))
        #expect(request.trailers["t"] == "1")
    }

    @Test("asynchronous handlers respond, one at a time on a connection")
    func asynchronous() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { request in
            try await gate.wait()
            return .text(request.path)
        }
        async let bodies = exchange(server, "GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n") {
            [try $0.readResponse().body, try $0.readResponse().body]
        }
        _ = try await server.request(at: 0)
        #expect(server.counts.requests == 1)
        gate.open()
        #expect(try await bodies == ["/a", "/b"])
    }

    @Test("a handler's error is a 500 that says so")
    func handlerErrors() async throws {
        struct Oops: Error {}
        let server = try LoopbackServer { _ in throw Oops() }
        let response = try await exchange(server, "GET / HTTP/1.1\r\n\r\n")
        #expect(response.head.hasPrefix("HTTP/1.1 500 "))
        #expect(response.body.contains("Oops"))
    }

    @Test("a request without a route gets a 404 that lists the routes")
    func notFound() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/users", .ok)
        let response = try await exchange(server, "GET /nobody HTTP/1.1\r\n\r\n")
        #expect(response.head.hasPrefix("HTTP/1.1 404 "))
        #expect(response.body.contains("GET /users"))
    }

    @Test("a response in steps leaves the connection ready for the next request")
    func mixedResponses() async throws {
        let bytes = Data(repeating: 65, count: 400_000)
        let server = try LoopbackServer(tickInterval: .milliseconds(1))
        server.on(.get, "/drip", LoopbackResponse.text("drip").fault(.drip(40)))
        server.on(.get, "/delay", LoopbackResponse.text("delay").delayed(by: .milliseconds(1)))
        server.on(.get, "/stream", .stream(length: 6) { $0 < 2 ? Data("abc".utf8) : nil })
        server.on(.get, "/large", .data(bytes))
        server.on(.get, "/async") { _ async in .text("async") }
        server.on(.get, "/plain", .text("plain"))
        let paths = ["/drip", "/plain", "/delay", "/delay", "/stream", "/plain", "/large", "/async", "/drip", "/plain"]
        let bodies = try await exchange(server, paths.map { "GET \($0) HTTP/1.1\r\n\r\n" }.joined()) { client in
            try paths.map { _ in try client.readResponse().body }
        }
        let large = String(decoding: bytes, as: UTF8.self)
        #expect(bodies == ["drip", "plain", "delay", "delay", "abcabc", "plain", large, "async", "drip", "plain"])
        try await server.wait { $0.responses == 10 }
    }

    @Test("requests are the same however the network cuts them", arguments: 1...20)
    func segmentation(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var wires: [String] = []
        var bodies: [String] = []
        for _ in 0..<30 {
            let body = String(repeating: "x", count: .random(in: 0...300, using: &random))
            var wire = "PUT /\(wires.count) HTTP/1.1\r\nHost: x\r\n"
            if Bool.random(using: &random) {
                wire += "Content-Length: \(body.count)\r\n\r\n\(body)"
            } else {
                wire += "Transfer-Encoding: chunked\r\n\r\n"
                var rest = Substring(body)
                while !rest.isEmpty {
                    let piece = rest.prefix(.random(in: 1...100, using: &random))
                    rest = rest.dropFirst(piece.count)
                    wire += "\(String(piece.count, radix: 16))\r\n\(piece)\r\n"
                }
                wire += "0\r\n\r\n"
            }
            wires.append(wire)
            bodies.append(body)
        }
        var pieces: [[UInt8]] = []
        var rest = Array(wires.joined().utf8)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(.random(in: 1...500, using: &random))
            rest = rest.dropFirst(piece.count)
            pieces.append(Array(piece))
        }
        let server = try LoopbackServer { .text($0.path) }
        let cut = pieces
        let paths = try await onThread {
            let client = try RawClient(server)
            for piece in cut { try client.send(piece) }
            return try (0..<30).map { _ in try client.readResponse().body }
        }
        #expect(paths == (0..<30).map { "/\($0)" })
        #expect(server.requests.map(\.text) == bodies)
        #expect(server.requests.map(\.raw) == wires.map { Data($0.utf8) })
    }
}
