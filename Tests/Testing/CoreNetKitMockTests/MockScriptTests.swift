import TestSupport

@Suite("MockTransport: scripts", .timeLimit(.minutes(10)), .paced)
struct MockScriptTests {
    @Test(
        "a pattern matches the requests it describes and no others",
        arguments: [
            ("/users", "/users", true), ("/users", "/users/", false), ("/users", "/users/1", false),
            ("/users", "/Users", false), ("/", "", true), ("", "/", true), ("/users", "/users?page=2", true),
            ("/users", "/users#top", true), ("/users/:id", "/users/7", true), ("/users/:id", "/users/", false),
            ("/users/:id", "/users/7/photos", false), ("/users/*/photos", "/users/7/photos", true),
            ("/users/*/photos", "/users//photos", false), ("/users/**", "/users/7/photos", true),
            ("/users/**", "/users/", true), ("/users/**", "/user", false), ("/**", "", true),
            ("/Jürgen", "/J%C3%BCrgen", true), ("/a b", "/a%20b", true), ("/a/b", "/a%2Fb", false),
            ("/a+b", "/a%2Bb", true), ("/users?page=2", "/users?sort=up&page=2", true),
            ("/users?page=2", "/users?page=3", false), ("/users?page=2", "/users", false),
            ("/users?q=a%26b", "/users?q=a%26b", true), ("https://api.example.com/users", "/users", true),
            ("https://API.example.com/users", "/users", true), ("https://other.example.com/users", "/users", false),
            ("http://api.example.com/users", "/users", false),
            ("https://api.example.com:8080/users", "https://api.example.com:8080/users", true),
            ("https://api.example.com", "", true),
            ("https://api.example.com/users", "https://me:secret@api.example.com/users", true),
        ]
    )
    func matches(pattern: String, target: String, isMatch: Bool) async throws {
        let mock = MockTransport { $0.on(.get, pattern, .text("yes")) }
        let reply = try? await mock.text(.get, target)
        #expect(reply == (isMatch ? "yes" : nil))
    }

    @Test("methods distinguish scripts, nil matches any; the script added last wins")
    func methods() async throws {
        let mock = MockTransport {
            $0.on(nil, "/a", .text("any"))
            $0.on(.post, "/a", .text("post"))
            $0.on("REPORT", "/a", .text("report"))
        }
        #expect(try await mock.text(.get, "/a") == "any")
        #expect(try await mock.text(.post, "/a") == "post")
        #expect(try await mock.text("REPORT", "/a") == "report")
    }

    @Test("responses come one after another; the last is repeated, or leaves its requests to the script before it")
    func sequence() async throws {
        let mock = MockTransport {
            $0.on(.get, "/a", .text("1"), .text("2"), .text("3"))
            $0.on(.get, "/a", times: 2, .text("flaky"))
        }
        var replies: [String] = []
        for _ in 0..<7 { replies.append(try await mock.text(.get, "/a")) }
        #expect(replies == ["flaky", "flaky", "1", "2", "3", "3", "3"])
    }

    @Test("a predicate sees the whole request")
    func predicate() async throws {
        let mock = MockTransport { mock in
            mock.on(.get, "/a", .status(401))
            mock.on(where: { $0.headers["Authorization"] == "Bearer t" }, .ok)
        }
        #expect(try await mock.send(request(.get, "/a")).status == 401)
        #expect(try await mock.send(request(.get, "/a", headers: ["authorization": "Bearer t"])).status == 200)
    }

    @Test("a predicate may use the mock itself")
    func reentrantPredicate() async throws {
        let mock = MockTransport()
        mock.on(where: { [weak mock] _ in mock?.requests.isEmpty ?? false }, .text("first"))
        #expect(try await mock.text(.get, "/a") == "first")
        await #expect(throws: TransportError.self) { try await mock.text(.get, "/a") }
    }

    @Test("a response can be computed from the request and its parameters")
    func computed() async throws {
        let mock = MockTransport {
            $0.on(.put, "/users/:id/:field") { request in
                .text("\(request.parameters["id"] ?? "")-\(request.parameters["field"] ?? "")-\(request.text)")
            }
        }
        let response = try await mock.send(request(.put, "/users/7/first%20name", body: .bytes(.init("Ann".utf8))))
        #expect(response.body.data == .init("7-first name-Ann".utf8))
        #expect(mock.requests.first?.parameters == ["id": "7", "field": "first name"])
    }

    @Test("the error of a computed response reaches the caller unchanged")
    func computedError() async throws {
        struct Mine: Error {}
        let mock = MockTransport { $0.on(.get, "/a") { _ in throw Mine() } }
        await #expect(throws: Mine.self) { try await mock.text(.get, "/a") }
        #expect(mock.callsInFlight == 0)
    }

    @Test("parallel calls take each response of a sequence once")
    func parallel() async throws {
        let replies = (0..<100).map { MockResponse.text("\($0)") }
        let mock = MockTransport { mock in
            for reply in replies { mock.on(.get, "/a", times: 1, reply) }
        }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await mock.text(.get, "/a") } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts.count == 100)
        #expect(mock.requests.count == 100)
        try mock.verify()
    }
}
