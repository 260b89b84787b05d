import CoreNetKitObservability
import TestPrograms
import TestSupport

@Suite("The text waterfall", .paced)
struct TextWaterfallTests {
    @Test("shows waits and exchanges with their letters, within its width")
    func picture() async throws {
        let text = TextWaterfall().text(of: try await Samples.record())
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[0].hasPrefix("POST https://REDACTED:REDACTED@shop.example:8443/orders/7"))
        #expect(lines.contains { $0.hasPrefix("wait place") && $0.contains("~~~") && $0.hasSuffix("30 ms") })
        #expect(lines.contains { $0.hasPrefix("#1 503") && $0.contains("ttt") && $0.contains("www") })
        #expect(lines.contains { $0.hasPrefix("#2 retry 302") })
        #expect(lines.contains { $0.hasPrefix("#3 redirect 200") && $0.contains("w") && $0.contains("r") })
    }

    @Test(
        "is coloured only on a terminal that allows it",
        arguments: [
            (["TERM": "xterm"], true, true), (["TERM": "xterm", "NO_COLOR": "1"], true, false),
            (["TERM": "dumb"], true, false), ([:], false, false), (["NO_COLOR": ""], true, true),
        ]
    )
    func color(environment: [String: String], isTerminal: Bool, isColored: Bool) async throws {
        let view = TextWaterfall.terminal(environment: environment, isTerminal: isTerminal)
        #expect(view.text(of: try await Samples.record()).contains("\u{1B}[") == isColored)
    }

    @Test("accepts calls without time and invalid widths", arguments: [-5, 0, 40, 200])
    func odd(columns: Int) async throws {
        let view = TextWaterfall(columns: columns)
        #expect(!view.text(of: try await Stage().end()).isEmpty)
        #expect(!view.text(of: try await Samples.record()).isEmpty)
    }
}

extension CurlCommand {
    fileprivate init(_ request: TransportRequest) { self.init(CallEvent.SentRequest(request, keeping: .max)) }
}

@Suite("The curl command", .paced)
struct CurlCommandTests {
    @Test("reads secrets from named variables")
    func secrets() async throws {
        let text = try #require(try await Samples.record().curl)
        #expect(!text.contains(Samples.canary))
        #expect(text.contains("# set first: URL_CODE"))
        #expect(text.contains(#"'https://shop.example/orders/8?code='"${URL_CODE:?}""#))
    }

    @Test(
        "quotes for every POSIX shell",
        arguments: [
            ("it's", #"'it'\''s'"#), ("$(rm -rf /)", "'$(rm -rf /)'"), ("!", "'!'"), ("@file", "'@file'"), ("", "''"),
        ]
    )
    func quotes(text: String, quoted: String) {
        let request = TransportRequest(method: .post, url: url("http://a.test/"), body: .bytes(Data(text.utf8)))
        #expect(text.isEmpty || CurlCommand(request).description.contains("--data-raw \(quoted)"))
    }

    @Test("says what the caller said of the connection", arguments: [("close", true), ("Keep-Alive", false)])
    func connection(value: String, isShown: Bool) {
        let sent = CallEvent.SentRequest(method: .get, url: "http://a.test/", headers: [:])
        let command = CurlCommand(sent.sent(with: ["Host": "a.test", "Connection": value]))
        #expect(command.description.contains("Connection: \(value)") == isShown)
        #expect(!command.description.contains("Host"))
    }

    @Test("sends bytes that are not plain text through printf, and shows no terminal escapes")
    func binary() {
        func command(_ body: Data) -> String {
            CurlCommand(TransportRequest(method: .put, url: url("http://a.test/"), body: .bytes(body))).description
        }
        let text = command(Data([0, 0xFF, 0x1B, UInt8(ascii: "'"), UInt8(ascii: "%"), 10]))
        #expect(text.hasPrefix(#"printf '\000\377\033\047\045\012' | curl"#) && text.contains("--data-binary @-"))
        #expect(command(Data("-d\t".utf8)).hasPrefix(#"printf '\055d\011' | curl"#))
        let escape = CurlCommand(TransportRequest(url: url("http://a.test/"), headers: ["X-A": "\u{1B}[31m"]))
        #expect(!escape.description.contains("\u{1B}"))
    }
}

/// `TEST_ROUNDS=2000` tries more; without the shells or curl there is nothing to compare with.
@Suite("A curl command in a real shell", .timeLimit(.minutes(10)), .paced)
struct CurlShellTests {
    private static let count = TestRounds.count(15)
    private static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

    private struct Seen: Equatable {
        let method: String
        let fields: [String]
        let body: Data
    }

    @Test("sends the same bytes", .enabled(if: hasCurl), arguments: ["/bin/bash", "/bin/dash"])
    func sameBytes(shell: String) async throws {
        guard FileManager.default.isExecutableFile(atPath: shell) else { return }
        let server = try LoopbackServer()
        defer { server.stop() }
        let seen = Locked<[Int: Seen]>([:])
        let handler: @Sendable (LoopbackRequest) -> LoopbackResponse = { request in
            let number = request.headers["X-Number"].flatMap { Int($0) } ?? -1
            seen.withLock { $0[number] = Self.seen(request.method, request.headers, request.body) }
            return .status(204)
        }
        for method in Self.methods { server.on(method, "/*", handler) }

        var random = SplitMix64(seed: TestRounds.seed(42))
        var expected: [Int: Seen] = [:]
        var script = ""
        for number in 0..<Self.count {
            let request = Self.request(number, server.url, &random)
            expected[number] = Self.seen(request.method, request.headers, request.body.data ?? Data())
            script += CurlCommand(request).description + " -s\n"
        }
        let folder = try TemporaryFolder()
        try Command.run(shell, [folder.file(Data(script.utf8)).path])

        let found = seen.withLock { $0 }
        for number in 0..<Self.count { #expect(found[number] == expected[number], "\(number)") }
    }

    private static let methods: [HTTPMethod] = [.get, .post, .put, .patch, .delete]

    private static func seen(_ method: HTTPMethod, _ headers: Headers, _ body: Data) -> Seen {
        let own = headers.filter { $0.name.hasPrefix("X-") && $0.name != "X-Number" }
        return Seen(method: method.rawValue, fields: own.map { "\($0.name): \($0.value)" }, body: body)
    }

    private static func request(_ number: Int, _ base: URL, _ random: inout SplitMix64) -> TransportRequest {
        let odd = ["'", "\"", "$HOME", "`id`", "!", "@x", "[1-9]{a}", "é🙂", "\\n", " ", "%", ";", "&", "#", "-d", "\t"]
        func text(_ length: Int) -> String {
            (0..<length).map { _ in odd[Int(random.next() % UInt64(odd.count))] }.joined()
        }
        var components = URLComponents(url: base, resolvingAgainstBaseURL: false)
        components?.path = "/p\(number)"
        components?.queryItems = [URLQueryItem(name: "q", value: text(4))]
        let method = methods[Int(random.next() % UInt64(methods.count))]
        var body = RequestBody.empty
        if method != .get {
            switch random.next() % 3 {
            case 0: body = .bytes(Data(text(20).utf8) + Data("x".utf8))
            case 1: body = .bytes(Data((0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
            default: break
            }
        }
        // Field values lose the white space around them on every wire.
        let value = "a" + text(5).filter { $0 != "\t" } + "z"
        var headers: Headers = ["X-Number": "\(number)", "X-Odd": value, "X-Empty": ""]
        if !body.isEmpty { headers["Content-Type"] = "application/octet-stream" }
        return TransportRequest(method: method, url: components?.url ?? base, headers: headers, body: body)
    }

}
