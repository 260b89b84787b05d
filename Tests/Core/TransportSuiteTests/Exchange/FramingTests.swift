import TestSupport

@Suite("Every transport: framing of responses", .timeLimit(.minutes(10)), .paced)
struct FramingTests {
    @Test("joins chunks, however they are cut", arguments: Subject.all)
    func chunks(_ subject: Subject) async throws {
        let peer = try Peer(subject, .chunks("a", "bc", String(repeating: "d", count: 40_000), "e"))
        let expected = "abc" + String(repeating: "d", count: 40_000) + "e"
        #expect(try await peer.outcome() == .response(200, expected))
        let empty = try Peer(subject, LoopbackResponse(body: .chunks([])))
        #expect(try await empty.outcome() == .response(200, ""))
    }

    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
    private static let sixteen = "0123456789abcdef"

    static let forms: [(fields: String, Outcome)] = [
        ("\r\n10\r\n\(sixteen)\r\n0\r\n\r\n", .response(200, sixteen)),
        ("\r\n00010;x=\"y\"\r\n\(sixteen)\r\n0\r\n\r\n", .response(200, sixteen)),
        ("\r\na\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", .response(200, "01234567890123456789")),
        ("Content-Length: 1\r\n\r\n3\r\nabc\r\n0\r\n\r\n", .response(200, "abc")),
        ("\r\n", .failure(.connectionLost)), ("\r\n3\r\nab", .failure(.connectionLost)),
        ("\r\n3\r\nabc\r\n", .failure(.connectionLost)), ("\r\n3\r\nabc\r\n0\r\n", .failure(.connectionLost)),
        ("\r\nxyz\r\nabc\r\n0\r\n\r\n", .failure(.invalidResponse)),
        ("\r\nffffffffffffffffff\r\nabc\r\n0\r\n\r\n", .failure(.invalidResponse)),
        ("\r\n3\r\nabcd\r\n0\r\n\r\n", .failure(.invalidResponse)),
    ]

    @Test(
        "reads chunk sizes in any case, with zeros and extensions, whatever Content-Length says; fails incomplete chunks",
        arguments: Subject.http1,
        forms
    )
    func chunkForms(_ subject: Subject, _ form: (fields: String, outcome: Outcome)) async throws {
        #expect(try await Peer(subject, .raw(Self.head + form.fields)).outcome() == form.outcome)
    }

    @Test("skips trailers", arguments: Subject.direct.filter { !$0.differs(.trailers) })
    func trailers(_ subject: Subject) async throws {
        var reply = LoopbackResponse.chunks("ab", "cd").trailer("X-T", "1")
        // nghttp2 takes it for the length of the content.
        if subject != .http2 { reply = reply.trailer("Content-Length", "9") }
        let peer = try Peer(subject, reply, isFresh: true)
        for _ in 0..<2 {
            let response = try await peer.send()
            #expect(response.body.data == Data("abcd".utf8))
            #expect(response.headers["X-T"] == nil)
        }
        #expect(try peer.server().counts.connections == 1)
    }

    @Test("reads content without a length up to the end of the connection", arguments: Subject.direct)
    func untilClose(_ subject: Subject) async throws {
        let content = String(repeating: "x", count: 100_000)
        let peer = try Peer(subject, LoopbackResponse(body: .untilClose(Data(content.utf8))))
        #expect(try await peer.outcome() == .response(200, content))
        #expect(try await peer.outcome() == .response(200, content))
    }

    @Test("skips informational responses", arguments: Subject.direct)
    func informational(_ subject: Subject) async throws {
        let reply = LoopbackResponse.text("final").header("X-A", "1")
            .preceded(by: 103, headers: ["Link": "</a>", "X-A": "0"]).preceded(by: 102).preceded(by: 100)
        let response = try await Peer(subject, reply).send(.post, body: .bytes(Data("x".utf8)))
        #expect(response.status == 200)
        #expect(response.headers[values: "X-A"] == ["1"])
        #expect(response.headers["Link"] == nil)
        #expect(response.body.data == Data("final".utf8))
    }

    @Test("accepts no content from HEAD, 204 and 304, whatever their length says", arguments: Subject.http1)
    func noContent(_ subject: Subject) async throws {
        let head = try await Peer(subject, .text("content").header("X-A", "1")).send(.head)
        #expect(head.body.data == Data())
        #expect(head.headers["Content-Length"] == "7")
        for status in [204, 304] {
            let head = "HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\n"
            #expect(try await Peer(subject, .raw(head, closes: false)).outcome() == .response(status, ""))
            let late = try Peer(subject, .raw(head + "hello"))
            #expect(try await late.outcome() == .response(status, ""))
            #expect(try await late.outcome() == .response(status, ""))
        }
    }

    @Test("does not take bytes after a response for the next one", arguments: Subject.http1)
    func bytesBehind(_ subject: Subject) async throws {
        let extra = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\noneHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        let peer = try Peer(subject) { $0.target == "/first" ? .raw(extra, closes: false) : .text("two") }
        let first = try await peer.send(.get, "/first")
        #expect(first.body.data == Data("one".utf8))
        // A failure would be right as well: the connection cannot be trusted.
        let second = await Outcome { try await peer.send(.get, "/second") }
        #expect(second == .response(200, "two") || second == .failure(.connectionLost))
    }

    @Test("fails content shorter than its length", arguments: Subject.direct)
    func short(_ subject: Subject) async throws {
        let peer = try Peer(subject, .text("content").fault(.contentLength(offBy: 3)))
        #expect(try await peer.outcome() == .failure(subject == .http2 ? .invalidResponse : .connectionLost))
    }

    @Test("reads no more content than its length, or none", arguments: Subject.direct)
    func long(_ subject: Subject) async throws {
        let peer = try Peer(subject, .text("content").fault(.contentLength(offBy: -3)))
        // RFC 9113, 8.1.1: over HTTP/2 nothing but the length says where content is to end.
        #expect(try await peer.outcome() == (subject == .http2 ? .failure(.invalidResponse) : .response(200, "cont")))
    }

    @Test("keeps a connection, and opens another one after Connection: close", arguments: Subject.direct)
    func connections(_ subject: Subject) async throws {
        let kept = try Peer(subject, .text("x"), isFresh: true)
        for _ in 0..<20 { _ = try await kept.send() }
        let count = try kept.server().counts.connections
        #expect(subject.differs(.connectionCache) ? count < 20 : count == 1)
        let closed = try Peer(subject, .text("x").closing())
        for _ in 0..<3 { #expect(try await closed.outcome() == .response(200, "x")) }
        #expect(try closed.server().counts.connections == 3)
    }

    @Test("keeps a connection whatever the content was", arguments: Subject.direct)
    func connectionBehind(_ subject: Subject) async throws {
        let replies: [LoopbackResponse] = [
            .text("x"), .chunks("a", "b"), .status(204), .status(304), .text("no", status: 404), .ok,
            .text("moved", status: 302).header("Location", "/x"),
        ]
        let peer = try Peer(subject, isFresh: true) { replies[Int($0.target.dropFirst()) ?? 0] }
        for index in replies.indices {
            let body = index % 2 == 0 ? RequestBody.empty : .bytes(Data("b".utf8))
            _ = try await peer.send(index % 2 == 0 ? .get : .post, "/\(index)", body: body)
        }
        let count = try peer.server().counts.connections
        #expect(subject.differs(.connectionCache) ? count <= replies.count : count == 1)
    }
}
