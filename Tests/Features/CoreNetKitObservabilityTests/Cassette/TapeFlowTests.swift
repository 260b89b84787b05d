import TestSupport

@Suite("A flow on a tape", .timeLimit(.minutes(10)), .paced)
struct TapeFlowTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.tape }

    init() throws { folder = try TemporaryFolder() }

    @Test("is played as recorded, without the server, on another day with another password", arguments: TapeFlow.all)
    func plays(flow: TapeFlow) async throws {
        let server = try LoopbackServer()
        flow.serve(server)
        let origin = String(server.url("/").absoluteString.dropLast())
        let tape = try Cassette(file, mode: .recordOnce, live: Client().configuration.transport)
        let recording = TapeClient(client: Client(transport: tape), origin: origin, password: "hunter2-s3cret")
        let recorded = try await flow.run(recording)
        server.stop()
        #expect(tape.report.notRecorded.isEmpty)

        for password in ["hunter2-s3cret", "another-s3cret"] {
            let played = try Cassette(file)
            let client = TapeClient(client: Client(transport: played), origin: origin, password: password)
            #expect(try await flow.run(client) == recorded)
            #expect(played.report.isClean, "\(played.report)")
        }
        #expect(!(try String(contentsOf: file, encoding: .utf8)).contains("s3cret"))
    }

    @Test("contains each secret's placeholder wherever it recurs, and ids unchanged")
    func tokens() async throws {
        let secret = TapeFlow.access
        let live = MockTransport { mock in
            mock.on(nil, "/**", .json(#"{"id":"\#(TapeFlow.cursor)","echo":"\#(secret)","page":7}"#))
            mock.on(.post, "/login", .json(#"{"token":{"access":"\#(secret)"},"otp":123456}"#))
        }
        let tape = try Cassette(file, mode: .rewrite, live: live)
        for path in ["/login", "/users/\(secret)/7", "/codes/123456?next=\(secret)&page=7"] {
            _ = try await tape.send(post("http://a.test\(path)", #"{"seen":"\#(secret)","number":123456}"#))
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains(secret) && !text.contains("123456"))
        #expect(text.contains(TapeFlow.cursor))
        for part in [
            "/users/%7B%7Baccess-1%7D%7D/7", "/codes/100001?next=%7B%7Baccess-1%7D%7D&page=7",
            #"\"number\":100001"#, #"\"otp\":100001"#, #"\"echo\":\"{{access-1}}\""#,
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test("of the first version is played, with its placeholders numbered by name")
    func older() async throws {
        let text = #"""
            {"log":{"version":"1.2","_coreNetKit":{"version":1,"secrets":2,"recordedAt":"Mon, 02 Nov 2026 10:00:00 GMT"},
            "entries":[{"startedDateTime":"2026-11-02T00:00:00Z","time":1,"request":{"method":"POST",
            "url":"http://a.test/login","headers":[{"name":"Content-Type","value":"application/json"}],
            "postData":{"text":"{\"password\":\"{{password-1}}\",\"otp\":0}"}},
            "response":{"status":200,"headers":[{"name":"Content-Type","value":"application/json"}],
            "content":{"size":9,"text":"{\"token\":\"{{token-1}}\"}"}}},
            {"startedDateTime":"2026-11-02T00:00:01Z","time":1,"request":{"method":"GET",
            "url":"http://a.test/me?access_token=%7B%7Baccess-token-1%7D%7D","headers":[]},
            "response":{"status":200,"headers":[],"content":{"size":2,"text":"me"}}}]}}
            """#
        try Data(text.utf8).write(to: file)
        let tape = try Cassette(file)
        let login = post("http://a.test/login", #"{"password":"mine","otp":4711}"#)
        let token = try JSONDecoder().decode([String: String].self, from: try await tape.send(login).body.collect())
        var address = URLComponents(string: "http://a.test/me")
        address?.queryItems = [URLQueryItem(name: "access_token", value: token["token"])]
        let me = TransportRequest(url: try #require(address?.url))
        #expect(try await tape.send(me).body.data == Data("me".utf8))
        #expect(tape.report.isClean, "\(tape.report)")
    }

    @Test("with other values under harmless names is a different flow")
    func strict() async throws {
        let live = MockTransport { $0.on(nil, "/**", .json(#"{"token":"\#(TapeFlow.access)"}"#)) }
        let tape = try Cassette(file, mode: .rewrite, live: live)
        func get(_ path: String) -> TransportRequest { TransportRequest(url: url("http://a.test\(path)")) }
        for path in ["/a", "/items/\(TapeFlow.access)/1", "/items?page=1&token=x"] {
            _ = try await tape.send(get(path))
        }
        let played = try Cassette(file)
        for path in ["/items/\(TapeFlow.access)/2", "/items/a/b/1", "/items?page=2&token=x", "/items?page=1", "/b"] {
            await #expect(throws: TransportError.self, "\(path)") { try await played.send(get(path)) }
        }
    }
}
