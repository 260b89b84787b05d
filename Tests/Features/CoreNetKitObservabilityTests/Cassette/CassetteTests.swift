import TestSupport

@Suite("A cassette", .paced)
struct CassetteTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.tape }

    init() throws { folder = try TemporaryFolder() }

    private func post(_ path: String, _ json: String, token: String = "a") -> TransportRequest {
        CoreNetKitObservabilityTests.post("http://a.test\(path)", json, ["Authorization": "Bearer \(token)"])
    }

    private func mock() -> MockTransport {
        MockTransport { mock in
            mock.on(.post, "/orders", .json(#"{"order":1}"#), .json(#"{"order":2}"#))
            mock.on(.get, "/old", MockResponse.status(302, headers: ["Location": "/new"]))
            mock.on(.get, "/new", .text(String(repeating: "long ", count: 3000)))
            mock.on(.get, "/bytes", .data(Data([0, 255, 1]), type: "image/png"))
            mock.on(.get, "/down", .status(503))
        }
    }

    private func get(_ path: String) -> TransportRequest { TransportRequest(url: url("http://a.test\(path)")) }

    /// A tape with two equal orders, a redirect, a long text and bytes.
    private func record() async throws {
        let tape = try Cassette(file, mode: .rewrite, live: mock())
        for _ in 0..<2 {
            _ = try await tape.send(post("/orders?a=1&b=2", #"{"item":1,"at":"today","password":"s3cret"}"#))
        }
        for path in ["/old", "/new", "/bytes"] { _ = try await tape.send(get(path)) }
        #expect(tape.report.recorded == 5)
    }

    @Test("plays the recording, in order, on another day and with another token")
    func replays() async throws {
        try await record()
        let tape = try Cassette(file, date: { Date().addingTimeInterval(40 * 86_400) })
        let sameDay = post("/orders?b=2&a=1", #"{"password":"other","at":"today","item":1.0}"#, token: "b")
        #expect(try await text(tape, sameDay) == #"{"order":1}"#)
        #expect(try await text(tape, sameDay) == #"{"order":2}"#)
        #expect(try await tape.send(get("/old")).headers["Location"] == "/new")
        #expect(try await text(tape, get("/new#fragment")).count == 15_000)
        #expect(try await tape.send(get("/bytes")).body.data == Data([0, 255, 1]))
        #expect(tape.report.isClean, "\(tape.report)")
        await #expect(throws: TransportError.self) { try await tape.send(sameDay) }
    }

    @Test("a changed body does not match, and the error names the nearest entry and the difference")
    func mismatch() async throws {
        try await record()
        let tape = try Cassette(file)
        let error = await #expect(throws: TransportError.self) {
            try await tape.send(post("/orders?a=1&b=3", #"{"item":2,"at":"today","password":"x"}"#))
        }
        let message = try #require(error?.message)
        #expect(message.contains("nearest: POST http://a.test/orders?a=1&b=2, which differs in: query, body"))
        #expect(tape.report.unmatched.count == 1)
        #expect(tape.report.unused.count == 5)
        #expect(error?.isSafeToResend == false)
    }

    @Test("members that change each day can be excluded from the comparison")
    func except() async throws {
        try await record()
        let tape = try Cassette(file, match: [.method, .url, .json(except: "at")])
        let tomorrow = post("/orders?a=1&b=2", #"{"item":1,"at":"tomorrow","password":"x"}"#)
        #expect(try await text(tape, tomorrow) == #"{"order":1}"#)
    }

    @Test("part boundaries and the order of form items do not count")
    func forms() async throws {
        let tape = try Cassette(file, mode: .rewrite, live: MockTransport { $0.on(nil, "/**", .ok) })
        func form(_ text: String, _ type: String = "application/x-www-form-urlencoded") -> TransportRequest {
            let (address, body) = (url("http://a.test/f"), RequestBody.bytes(Data(text.utf8)))
            return TransportRequest(method: .post, url: address, headers: ["Content-Type": type], body: body)
        }
        func parts(_ boundary: String) -> TransportRequest {
            let text = "--\(boundary)\r\n\r\na\r\n--\(boundary)--"
            var request = form(text, "multipart/form-data; boundary=\(boundary)")
            request.url = url("http://a.test/p")
            return request
        }
        _ = try await tape.send(parts("one"))
        _ = try await tape.send(form("a=1&b=2"))
        let played = try Cassette(file)
        _ = try await played.send(parts("another"))
        _ = try await played.send(form("b=2&a=1"))
        #expect(played.report.isClean)
    }

    @Test("contains no secret, and the same placeholder for the same secret")
    func secrets() async throws {
        let transport = MockTransport {
            $0.on(nil, "/**", MockResponse.json(#"{"access_token":"s3cret-b"}"#).header("Set-Cookie", "sid=s3cret-c"))
        }
        let tape = try Cassette(file, mode: .rewrite, live: transport)
        for token in ["s3cret-a", "s3cret-d", "s3cret-a"] {
            _ = try await tape.send(post("/login?token=s3cret-e", #"{"password":"s3cret-f"}"#, token: token))
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("s3cret"))
        #expect(text.contains("Bearer {{authorization-1}}") && text.contains("Bearer {{authorization-2}}"))
        #expect(!text.contains("{{authorization-3}}"))
    }

    @Test("failures are not recorded unless requested", arguments: [true, false])
    func failures(wanted: Bool) async throws {
        var options = Cassette.Options()
        options.recordsFailures = wanted
        let tape = try Cassette(file, mode: .rewrite, live: mock(), options: options)
        #expect(try await tape.send(get("/down")).status == 503)
        #expect(tape.report.recorded == (wanted ? 1 : 0))
        #expect(tape.report.notRecorded.isEmpty == wanted)
    }

    @Test("append records missing entries, record only if there is no tape")
    func modes() async throws {
        try await record()
        let once = try Cassette(file, mode: .recordOnce)
        await #expect(throws: TransportError.self) { try await once.send(get("/missing")) }
        let transport = MockTransport { $0.on(.get, "/more", .text("more")) }
        let tape = try Cassette(file, mode: .append, live: transport)
        #expect(try await tape.send(get("/old")).status == 302)
        #expect(try await text(tape, get("/more")) == "more")
        #expect(try await text(try Cassette(file), get("/more")) == "more")
    }

    @Test("verify reports where the server differs from the tape")
    func drift() async throws {
        try await record()
        let changed = MockTransport { mock in
            mock.on(.get, "/new", MockResponse.status(404).header("X-New", "1"))
            mock.on(.post, "/orders", .json(#"{"order":"one","extra":true}"#))
        }
        let tape = try Cassette(file, mode: .verify, live: changed)
        #expect(try await tape.send(get("/new")).status == 404)
        _ = try await tape.send(post("/orders?a=1&b=2", #"{"item":1,"at":"today","password":"x"}"#))
        let drift = tape.report.drift.joined(separator: "\n")
        let orders = ["content.extra is new", "content.order is a string, was a number"]
        for word in ["status 404, was 200", "field 'x-new' is new"] + orders {
            #expect(drift.contains(word), "\(drift)")
        }
    }

    @Test("warns of an old tape and refuses one that is too old")
    func age() async throws {
        try await record()
        let later: @Sendable () -> Date = { Date().addingTimeInterval(100 * 86_400) }
        #expect(try Cassette(file, date: later).report.age != nil)
        var options = Cassette.Options()
        options.maximumAge = .seconds(86_400)
        #expect(throws: CassetteError.self) { try Cassette(file, options: options, date: later) }
    }

    @Test("takes its recorded time on a manual clock")
    func latency() async throws {
        try Data(Self.browser.utf8).write(to: file)
        let clock = ManualClock()
        var options = Cassette.Options()
        options.replaysLatency = true
        let tape = try Cassette(file, options: options, clock: clock)
        async let response = tape.send(TransportRequest(url: url("https://b.test/x?b=2&a=1")))
        try await clock.waitForSleepers(1)
        #expect(clock.sleepers.first?.offset == .microseconds(12_345))
        clock.advance(by: .seconds(1))
        #expect(try await response.status == 200)
    }

    private static let browser = """
        {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"pages":[],"entries":[
        {"_initiator":{"type":"other"},"startedDateTime":"2026-01-01T10:00:00.123Z","time":12.345,
        "request":{"method":"GET","url":"https://b.test/x?a=1&b=2","httpVersion":"h2",
        "headers":[{"name":":authority","value":"b.test"},{"name":"accept","value":"*/*"}],"queryString":[]},
        "response":{"status":200,"statusText":"","headers":[{"name":"content-type","value":"text/plain"}],
        "content":{"size":5,"mimeType":"text/plain","text":"aGVsbG8=","encoding":"base64"}},
        "cache":{},"timings":{"blocked":-1,"send":0.1,"wait":12.2,"receive":0.045}},
        {"startedDateTime":"2026-01-01T10:00:00.000Z","time":-3,"request":{"method":"GET","url":"https://b.test/failed"},
        "response":{"status":0,"_error":"net::ERR_FAILED"}}]}}
        """

    @Test("an archive saved by a browser is a tape")
    func foreign() async throws {
        try Data(Self.browser.utf8).write(to: file)
        let tape = try Cassette(file)
        #expect(try await text(tape, TransportRequest(url: url("https://b.test/x?b=2&a=1"))) == "hello")
        #expect(tape.report.isClean)
    }

    private static func with(_ content: String) -> String {
        let request = #""request":{"method":"GET","url":"x"}"#
        return #"{"log":{"entries":[{\#(request),"response":{"status":200,"content":\#(content)}}]}}"#
    }

    @Test(
        "a file that is not a tape is a clear error",
        arguments: [
            ("", CassetteError.Code.invalidFile), ("{", .invalidFile), ("[]", .invalidFile),
            (#"{"log":{}}"#, .invalidFile), (#"{"log":{"entries":[{}]}}"#, .invalidFile),
            (#"{"log":{"entries":[],"_coreNetKit":{"version":99}}}"#, .newerVersion),
            (with(#"{"_file":"../x"}"#), .invalidFile), (with(#"{"text":"%","encoding":"base64"}"#), .invalidFile),
        ]
    )
    func broken(text: String, code: CassetteError.Code) throws {
        try Data(text.utf8).write(to: file)
        let error = #expect(throws: CassetteError.self) { try Cassette(file) }
        #expect(error?.code == code)
    }

    @Test("odd numbers in a foreign archive do no harm")
    func oddNumbers() async throws {
        for odd in ["1e400", "-1", "99999999999999999999", "200.5", "null", "\"error\""] {
            let text =
                #"{"log":{"entries":[{"time":\#(odd),"request":{"method":"GET","url":"http://a/"},"response":{"status":\#(odd)}}]}}"#
            try Data(text.utf8).write(to: file)
            _ = try Cassette(file).report
        }
    }

    @Test("needs a transport for requests that are not on the tape")
    func needsTransport() {
        let error = #expect(throws: CassetteError.self) { try Cassette(file, mode: .rewrite) }
        #expect(error?.code == .noTransport)
        #expect(throws: CassetteError.self) { try Cassette(file) }
    }

    @Test("parallel equal requests get one response each")
    func parallel() async throws {
        try await record()
        let tape = try Cassette(file)
        let request = post("/orders?a=1&b=2", #"{"item":1,"at":"today","password":"x"}"#)
        async let first = text(tape, request)
        async let second = text(tape, request)
        #expect(try await Set([first, second]) == [#"{"order":1}"#, #"{"order":2}"#])
    }
}
