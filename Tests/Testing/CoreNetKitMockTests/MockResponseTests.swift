import TestSupport

@Suite("MockTransport: responses", .timeLimit(.minutes(10)), .paced)
struct MockResponseTests {
    private static let replies: [(MockResponse, Int, Headers, String)] = [
        (.ok, 200, [:], ""),
        (.status(404, headers: ["X-A": "1"]), 404, ["X-A": "1"], ""),
        (.json(User(name: "a/b", id: 1)), 200, ["Content-Type": "application/json"], #"{"id":1,"name":"a/b"}"#),
        (.json(["b": 1, "a": 2], status: 201), 201, ["Content-Type": "application/json"], #"{"a":2,"b":1}"#),
        (.json(#"{"z":1,"a":2}"#), 200, ["Content-Type": "application/json"], #"{"z":1,"a":2}"#),
        (.text("hü", status: 503), 503, ["Content-Type": "text/plain; charset=utf-8"], "hü"),
        (.data(Data("x".utf8), type: "image/png"), 200, ["Content-Type": "image/png"], "x"),
        (.chunks("a", "", "bc"), 200, [:], "abc"),
        (.stream { $0 < 3 ? Data("\($0)".utf8) : nil }, 200, [:], "012"),
        (
            .ok.header("Set-Cookie", "a=1").header("Set-Cookie", "b=2"), 200,
            Headers([("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]), ""
        ),
    ]

    @Test("each kind of response has its status, fields and content", arguments: replies.indices)
    func kinds(index: Int) async throws {
        let (reply, status, headers, text) = Self.replies[index]
        let response = try await MockTransport { $0.on(.get, "/a", reply) }.send(request(.get, "/a"))
        #expect(response.status == status)
        #expect(response.headers == headers)
        #expect(response.body.data == Data(text.utf8))
        #expect(response.url.path == "/a")
    }

    @Test("HEAD, 204 and 304 have fields but no content", arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func noContent(method: String, status: Int) async throws {
        let mock = MockTransport { $0.on(nil, "/a", .json("[1]", status: status)) }
        let response = try await mock.send(request(.init(rawValue: method), "/a"))
        #expect(response.body.data == Data())
        #expect(response.headers["Content-Type"] == "application/json")
    }

    @Test("a value that does not encode fails the call and names its type")
    func unencodable() async throws {
        let mock = MockTransport { $0.on(.get, "/a", .json(["x": Double.nan])) }
        let error = try await transportError { _ = try await mock.text(.get, "/a") }
        #expect(error?.code == .failed)
        #expect(error?.message.contains("Dictionary<String, Double>") == true)
    }

    @Test(
        "a failure by code has the phase in which it usually happens",
        arguments: [
            (TransportError.Code.cannotResolveHost, TransportError.Phase.resolve),
            (.cannotConnect, .connect), (.certificateExpired, .tls), (.timedOut, .wait), (.connectionLost, .receive),
            (.requestBodyFailed, .send), (.shutDown, .queue), (.failed, .wait),
        ]
    )
    func failures(code: TransportError.Code, phase: TransportError.Phase) async throws {
        let mock = MockTransport { $0.on(.get, "/a", .failure(code)) }
        let error = try await transportError { _ = try await mock.text(.get, "/a") }
        #expect(error?.code == code)
        #expect(error?.phase == phase)
    }

    @Test("any error can be thrown")
    func foreignFailure() async throws {
        struct Mine: Error {}
        let mock = MockTransport { $0.on(.get, "/a", .failure(Mine())) }
        await #expect(throws: Mine.self) { try await mock.text(.get, "/a") }
    }

    @Test("a stream gives the chunks one by one and keeps the call in flight until its end")
    func stream() async throws {
        let mock = MockTransport { $0.on(.get, "/a", .chunks("a", "", "bc")) }
        let response = try await mock.send(request(.get, "/a", delivery: .stream))
        let stream = try response.stream()
        #expect(mock.callsInFlight == 1)
        var chunks: [String] = []
        for try await chunk in stream { chunks.append(String(decoding: chunk, as: UTF8.self)) }
        #expect(chunks == ["a", "bc"])
        #expect(mock.callsInFlight == 0)
        #expect(mock.cancelledRequests.isEmpty)
    }
}
