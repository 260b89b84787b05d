import TestSupport

@Suite("MockTransport: recorded requests", .timeLimit(.minutes(10)), .paced)
struct MockRequestTests {
    @Test("a request is recorded with everything that was requested")
    func everything() async throws {
        let mock = MockTransport { $0.on(.post, "/users", .ok) }
        let timeouts = Timeouts(total: .seconds(7))
        var sent = try request(.post, "/users?q=a+b%26c&empty=&flag", headers: ["Accept": "application/json"])
        sent.body = .bytes(Data(#"{"name":"Ann","id":1}"#.utf8))
        (sent.timeouts, sent.delivery) = (timeouts, .collect(limit: 10))
        _ = try await mock.send(sent)
        let recorded = try #require(mock.requests.first)
        #expect(recorded.method == .post)
        #expect(recorded.path == "/users")
        #expect(recorded.query == [.init("q", "a b&c"), .init("empty", ""), .init("flag", "")])
        #expect(recorded.query("q") == "a b&c")
        #expect(recorded.query("missing") == nil)
        #expect(recorded.headers == ["Accept": "application/json"])
        #expect(try recorded.decodeBody(as: User.self) == User(name: "Ann", id: 1))
        #expect(recorded.timeouts == timeouts)
        #expect(recorded.delivery == .collect(limit: 10))
    }

    @Test("a form is read item by item")
    func form() async throws {
        let mock = MockTransport { $0.on(.post, "/login", .ok) }
        _ = try await mock.send(request(.post, "/login", body: .bytes(Data("user=a%2Bb&pass=%C3%BC+1&user=2".utf8))))
        let recorded = try #require(mock.requests.first)
        #expect(recorded.form == [.init("user", "a+b"), .init("pass", "ü 1"), .init("user", "2")])
        #expect(recorded.form("user") == "a+b")
        #expect(recorded.form("missing") == nil)
    }

    @Test("a body that cannot be read fails the request")
    func unreadableBody() async throws {
        struct Mine: Error {}
        let mock = MockTransport { $0.on(.put, "/a", .ok) }
        let missing = try TemporaryFolder()["missing"]
        let broken = RequestBody.stream { AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Mine()) } }
        for body in [.file(missing), broken] {
            let error = try await transportError { _ = try await mock.send(request(.put, "/a", body: body)) }
            #expect(error?.code == .requestBodyFailed)
            #expect(error?.phase == .send)
        }
    }

    @Test("the requests to one pattern can be selected")
    func picked() async throws {
        let mock = MockTransport { $0.on(nil, "/**", .ok) }
        for target in ["/users/1", "/photos/2", "/users/3"] { _ = try await mock.send(request(.get, target)) }
        #expect(mock.requests(.get, "/users/:id").map { $0.parameters["id"] } == ["1", "3"])
        #expect(mock.requests(.post, "/users/:id").isEmpty)
    }
}
