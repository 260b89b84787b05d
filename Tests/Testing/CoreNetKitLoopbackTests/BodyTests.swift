import TestSupport

@Suite("Loopback bodies", .timeLimit(.minutes(10)), .paced)
struct BodyTests {
    @Test("HEAD has the fields of GET and no content")
    func head() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let heads = try await exchange(server, "HEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n") {
            [try $0.readResponse(isHead: true).head, try $0.readResponse().head]
        }
        #expect(heads[0] == heads[1])
        #expect(heads[0].contains("Content-Length: 5\r\n"))
    }

    @Test("statuses without content have no length and keep the connection", arguments: [204, 304])
    func noContent(_ status: Int) async throws {
        let server = try LoopbackServer { $0.path == "/" ? .json("{}", status: status) : .text("next") }
        let (head, next) = try await exchange(server, "GET / HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n") {
            (try $0.read(until: "\r\n\r\n"), try $0.readResponse().body)
        }
        #expect(!head.contains("Length"))
        #expect(next == "next")
    }

    @Test("a stream of 100 MB is produced as fast as the client reads, not faster")
    func streaming() async throws {
        let made = Locked(0)
        let server = try LoopbackServer { _ in
            .stream(length: 100 << 20) { index in
                made.withLock { $0 = index }
                return index < 1600 ? Data(count: 1 << 16) : nil
            }
        }
        let client = try RawClient(server)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        let (head, early) = try await onThread {
            (try client.read(until: "\r\n\r\n"), try client.read(exactly: 1 << 16).utf8.count)
        }
        #expect(head.contains("Content-Length: 104857600\r\n"))
        // What the system buffers for two sockets is some megabytes, never the whole.
        #expect(made.withLock { $0 } < 800)
        let total = try await onThread {
            var total = 0
            while total < (100 << 20) - (1 << 16) { total += try client.read(1 << 20).get().count }
            return total
        }
        #expect(total + early == 100 << 20)
        try await server.wait { $0.responses == 1 }
    }

    @Test("a large body of bytes arrives whole, even beside a chunked one")
    func largeBodies() async throws {
        let bytes = Data.numbered(1_000_000)
        let server = try LoopbackServer { _ in .data(bytes) }
        server.on(.get, "/chunked", LoopbackResponse(body: .chunks([bytes, bytes])))
        let wire = "GET / HTTP/1.1\r\n\r\nGET /chunked HTTP/1.1\r\nConnection: close\r\n\r\n"
        let (plain, chunked) = try await exchange(server, wire) { client in
            _ = try client.read(until: "\r\n\r\n")
            let plain = try client.readBytes(exactly: bytes.count)
            _ = try client.read(until: "\r\n\r\n")
            return (plain, client.readBytesToEnd().bytes)
        }
        #expect(Data(plain) == bytes)
        let size = String(bytes.count, radix: 16)
        #expect(
            Data(chunked) == Data("\(size)\r\n".utf8) + bytes + Data("\r\n\(size)\r\n".utf8) + bytes
                + Data("\r\n0\r\n\r\n".utf8)
        )
    }

    @Test("an upload beyond the body limit is counted to its end and kept to the limit", arguments: [true, false])
    func bodyLimit(_ isChunked: Bool) async throws {
        let server = try LoopbackServer(bodyLimit: 100) { .text("\($0.bodyLength) \($0.body.count)") }
        let size = 20_000_000
        let body = try await onThread {
            let client = try RawClient(server)
            let chunk = "Transfer-Encoding: chunked\r\n\r\n\(String(size, radix: 16))\r\n"
            try client.send("PUT / HTTP/1.1\r\n" + (isChunked ? chunk : "Content-Length: \(size)\r\n\r\n"))
            try client.send([UInt8](repeating: 65, count: size))
            if isChunked { try client.send("\r\n0\r\n\r\n") }
            return try client.readResponse().body
        }
        #expect(body == "\(size) 100")
    }

    @Test("100 Continue is sent if the body waits for it")
    func continues() async throws {
        let server = try LoopbackServer { .text($0.text) }
        let (interim, body) = try await onThread {
            let client = try RawClient(server)
            try client.send("PUT / HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            let interim = try client.read(until: "\r\n\r\n")
            try client.send("abc")
            return (interim, try client.readResponse().body)
        }
        #expect(interim == "HTTP/1.1 100 Continue\r\n\r\n")
        #expect(body == "abc")
    }

    @Test("a response to the head comes before the body, which stays unread")
    func earlyReply() async throws {
        let server = try LoopbackServer { _ in .ok }
        server.onHead(.put, "/big") { _ in .text("too big", status: 413) }
        let wire = "PUT /big HTTP/1.1\r\nContent-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n"
        let text = try await exchange(server, wire) { $0.readToEnd().text }
        #expect(text.hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
        #expect(text.hasSuffix("Connection: close\r\n\r\ntoo big"))
        #expect(server.counts.heads == 1)
        #expect(server.counts.requests == 0)
    }

    @Test("a stall at the head stops an upload, and the server notices that its client is gone")
    func stalledUpload() async throws {
        let server = try LoopbackServer()
        server.onHead(.put, "/") { _ in LoopbackResponse.ok.fault(.stall(.beforeStatus)) }
        let client = try RawClient(server)
        try client.send("PUT / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\nabc")
        try await server.wait { $0.stalls == 1 }
        client.reset()
        try await server.waitForDisconnect(of: 0)
        #expect(server.counts.clientCloses == 1)
        #expect(server.counts.clientResets == 1)
    }

    @Test("JSON is sent and received as values")
    func json() async throws {
        struct User: Codable, Equatable { var id: Int, name: String }
        let server = try LoopbackServer { try .json(encoding: try $0.json(as: User.self), status: 201) }
        let wire = "POST / HTTP/1.1\r\nContent-Length: 21\r\n\r\n{\"name\":\"A/B\",\"id\":1}"
        let response = try await exchange(server, wire)
        #expect(response.head.hasPrefix("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"))
        #expect(response.body == #"{"id":1,"name":"A/B"}"#)
    }

    @Test("forms are decoded, and read item by item or by name")
    func forms() async throws {
        let server = try LoopbackServer { _ in .ok }
        _ = try await exchange(server, "POST / HTTP/1.1\r\nContent-Length: 33\r\n\r\na=1+2&b=%C3%A4%zz&&c&=d&e==&a=%2B")
        let request = try await server.request(at: 0)
        let items = [("a", "1 2"), ("b", "ä%zz"), ("c", ""), ("", "d"), ("e", "="), ("a", "+")]
        #expect(request.form == items.map { .init($0, $1) })
        #expect(request.form("a") == "1 2" && request.form("missing") == nil)
    }

    static let notHTTP: [(String, Int)] = [
        ("nonsense\r\n\r\n", 400), ("GET /\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
        ("PRI * HTTP/2.0\r\n\r\nXY\r\n\r\n", 505), ("PUT / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
        ("PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        ("PUT / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
        ("PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        ("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", 400),
        ("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400),
        ("GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 1 << 21))", 431),
    ]

    @Test("invalid HTTP gets a status that says so, and the end of the connection", arguments: notHTTP)
    func malformed(_ wire: String, _ status: Int) async throws {
        let server = try LoopbackServer { _ in .ok }
        let (text, ending) = try await exchange(server, wire) { $0.readToEnd() }
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(ending == .closed)
        #expect(server.counts.malformed == 1)
        #expect(server.requests.isEmpty)
    }

    @Test("an HTTP/1.0 client gets its response and the end of the connection, without chunks")
    func oldVersion() async throws {
        let server = try LoopbackServer { _ in .chunks("abc", "def") }
        let (text, ending) = try await exchange(server, "GET / HTTP/1.0\r\n\r\n") { $0.readToEnd() }
        #expect(text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcdef")
        #expect(ending == .closed)
    }

    @Test("a Latin-1 value and a folded value are read, as is a head of 100 kB")
    func headers() async throws {
        let server = try LoopbackServer { _ in .ok }
        let long = String(repeating: "x", count: 100_000)
        try await onThread {
            let client = try RawClient(server)
            try client.send(Array("GET / HTTP/1.1\r\nA: caf".utf8) + [0xE9])
            try client.send("\r\nB: 1\r\n  2\r\nC:\(long)\r\nD:\r\n\r\n")
            _ = try client.readResponse()
        }
        let headers = try await server.request(at: 0).headers
        #expect(headers["a"] == "café")
        #expect(headers["b"] == "1 2")
        #expect(headers["c"] == long)
        #expect(headers["d"] == "")
    }
}
