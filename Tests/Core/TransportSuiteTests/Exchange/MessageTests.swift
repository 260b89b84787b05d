import TestSupport

@Suite("Every transport: methods, bodies and statuses", .timeLimit(.minutes(10)), .paced)
struct MessageTests {
    static let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, "REPORT"]

    @Test("carries method, target and status", arguments: Subject.all, methods)
    func method(_ subject: Subject, _ method: HTTPMethod) async throws {
        let peer = try Peer(subject, .text("reply", status: 203))
        let response = try await peer.send(method, "/a%20b/c;d?x=1&y=%2B")
        #expect(response.status == 203)
        #expect(try await response.body.collect() == Data(method == .head ? "".utf8 : "reply".utf8))
        let seen = try #require(peer.seen.first)
        #expect(seen.method == method)
        #expect(seen.target.hasPrefix("/a%20b/c;d"))
        #expect(seen.body.isEmpty)
        guard subject != .mock else { return }
        #expect(seen.target == "/a%20b/c;d?x=1&y=%2B")
        let hasLength =
            [.post, .put, .patch].contains(method)
            || (subject.differs(.emptyBodyLength) && method != .get && method != .head)
        #expect(seen.headers["Content-Length"] == (hasLength ? "0" : nil))
        #expect(seen.headers["Transfer-Encoding"] == nil)
        #expect(seen.headers["Expect"] == nil)
        #expect(seen.headers["Content-Type"] == nil)
    }

    enum Form: String, CaseIterable, Sendable {
        case bytes, file, stream, knownStream

        func body(_ content: Data, in directory: TemporaryFolder) throws -> RequestBody {
            switch self {
            case .bytes: .bytes(content)
            case .file: .file(try directory.file(content))
            case .stream: .stream { Pieces(content) }
            case .knownStream: .stream(length: Int64(content.count)) { Pieces(content) }
            }
        }
    }

    @Test("carries a body of every form and size", arguments: Subject.all, Form.allCases)
    func body(_ subject: Subject, _ form: Form) async throws {
        for size in [1, 1000, 70_000, 1_300_000] {
            // 256 bytes over and over: to make each one takes seconds in a debug build, in which others wait.
            let pattern = Data((0..<256).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            var long = pattern
            while long.count < size { long += long }
            let content = Data(long.prefix(size))
            let peer = try Peer(subject) { .text(String($0.body.count)) }
            let directory = try TemporaryFolder()
            let body = try form.body(content, in: directory)
            let response = try await peer.send(.put, headers: ["Content-Type": "a/b"], body: body)
            #expect(response.body.data == Data(String(size).utf8))
            let seen = try #require(peer.seen.first)
            #expect(seen.body == content)
            #expect(seen.headers[values: "Content-Type"] == ["a/b"])
            guard subject != .mock else { continue }
            if form == .stream, !subject.differs(.streamedLength) {
                #expect(seen.headers["Transfer-Encoding"] == (subject == .http2 ? nil : "chunked"))
                #expect(seen.headers["Content-Length"] == nil)
            } else {
                #expect(seen.headers["Content-Length"] == String(size))
                #expect(seen.headers["Transfer-Encoding"] == nil)
            }
        }
    }

    @Test(
        "sends a body with every method that has one",
        arguments: Subject.wires,
        ["POST", "PUT", "PATCH", "DELETE", "REPORT"]
    )
    func bodyMethod(_ subject: Subject, _ method: String) async throws {
        let peer = try Peer(subject) { .text($0.text) }
        let outcome = try await peer.outcome(HTTPMethod(rawValue: method), body: .bytes(Data("content".utf8)))
        #expect(outcome == .response(200, "content"))
    }

    @Test(
        "treats empty bytes, an empty file and an empty stream as no content",
        arguments: Subject.wires,
        Form.allCases
    )
    func emptyBody(_ subject: Subject, _ form: Form) async throws {
        let peer = try Peer(subject) { .text(String($0.body.count)) }
        let directory = try TemporaryFolder()
        let body = try form.body(Data(), in: directory)
        #expect(try await peer.outcome(.post, body: body) == .response(200, "0"))
    }

    static let statuses = [
        200, 201, 202, 206, 226, 299, 300, 304, 305, 400, 401, 403, 404, 409, 418, 429, 500, 503, 599, 600, 999,
    ]

    @Test("returns every status as a response with its content", arguments: Subject.all, statuses)
    func status(_ subject: Subject, _ status: Int) async throws {
        let peer = try Peer(subject, .text("content", status: status))
        let usual = Outcome.response(status, status == 304 ? "" : "content")
        try await peer.outcome().expect(usual, for: subject, except: .redirectWithoutTarget, .response(status, ""))
    }

    @Test("returns a redirect as a response and does not follow it", arguments: Subject.all, [301, 302, 303, 307, 308])
    func redirect(_ subject: Subject, _ status: Int) async throws {
        for location in ["/next", "?q={x}", "http://127.0.0.1:1/", "mailto:a@b", "//other/x"] {
            let peer = try Peer(subject, .text("moved", status: status).header("Location", location))
            let response = try await peer.send(.post, body: .bytes(Data("x".utf8)))
            #expect(response.status == status)
            #expect(response.headers["Location"] == location)
            #expect(response.body.data == Data("moved".utf8))
            #expect(peer.seen.count == 1)
        }
    }

    static let challenges = [
        #"Basic realm="x""#, #"Digest realm="x", nonce="1""#, "Bearer", "Negotiate",
        #"Digest realm="x", nonce="1", Basic realm="y""#, nil,
    ]

    @Test("returns a 401 with its content, whatever the challenge", arguments: Subject.all, challenges)
    func unauthorized(_ subject: Subject, _ challenge: String?) async throws {
        for body in [RequestBody.empty, .bytes(Data("x".utf8))] {
            var reply = LoopbackResponse.text("who?", status: 401)
            if let challenge { reply = reply.header("WWW-Authenticate", challenge) }
            let peer = try Peer(subject, reply)
            let response = try await peer.send(.post, body: body)
            #expect(response.status == 401)
            #expect(response.headers["WWW-Authenticate"] == challenge)
            #expect(response.body.data == Data("who?".utf8))
        }
    }
}
