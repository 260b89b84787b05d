import TestSupport

@Suite("The status rule", .timeLimit(.minutes(10)), .paced)
struct StatusTests {
    func builder(_ status: Int, _ text: String) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>()
            .set(transport: ClosureTransport(status: status, headers: ["X-Trace": "7"], text))
            .route(.get, "http://localhost/")
    }

    static let codes: [(Int, NetworkError.Code)] = [
        (400, .badRequest), (401, .unauthorized), (403, .forbidden), (404, .notFound), (500, .internalServerError),
        (199, .unacceptableStatus), (300, .unacceptableStatus), (304, .unacceptableStatus), (402, .unacceptableStatus),
        (409, .unacceptableStatus), (422, .unacceptableStatus), (429, .unacceptableStatus), (502, .unacceptableStatus),
        (503, .unacceptableStatus), (599, .unacceptableStatus), (999, .unacceptableStatus),
    ]

    @Test(
        "outside 200...299 is an error that keeps status, fields and body",
        arguments: codes,
        ["void", "model", "data", "plain"]
    )
    func refuses(_ expected: (Int, NetworkError.Code), output: String) async throws {
        let body = #"{"message":"no"}"#
        let builder = builder(expected.0, body)
        let error = await #expect(throws: NetworkError.self) {
            switch output {
            case "void": try await builder.build().process()
            case "model": let _: User = try await builder.build().process()
            case "data": let _: Data = try await builder.loadData().process()
            default: let _: [String: String] = try await builder.build().process()
            }
        }
        #expect(error?.code == expected.1)
        #expect(error?.node == "StatusNode")
        #expect(error?.status == expected.0)
        #expect(error?.response?.headers["X-Trace"] == "7")
        #expect(try error?.decodeBody(as: [String: String].self) == ["message": "no"])
        #expect(error?.isRetryable == [408, 429, 500, 502, 503, 504].contains(expected.0))
    }

    @Test("a refused stream keeps its body; one that drips does not keep the call, and ends", arguments: [2, 1_000])
    func refusedStream(count: Int) async throws {
        let (clock, chunks, isClosed) = (ManualClock(), Recorder<Void>(), Recorder<Void>())
        let transport = ClosureTransport { request in
            let stream = ResponseStream(
                next: {
                    clock.advance(by: .seconds(3))
                    chunks.record(())
                    return chunks.values.count > count ? nil : Data("a".utf8)
                },
                cancel: { isClosed.record(()) }
            )
            return TransportResponse(status: 500, body: .stream(stream), url: request.url)
        }
        let chain = UrlChainsBuilder<String>(client: Client(transport: transport, clock: CallClock(clock)))
            .route(.get, "http://localhost/").loadStream()
        let error = await failure { _ = try await chain.call() }
        #expect(error?.status == 500)
        #expect(error?.response?.body == Data(repeating: UInt8(ascii: "a"), count: min(count, 4)))
        #expect(chunks.values.count == min(count + 1, 4))
        if count > 4 { #expect(!isClosed.values.isEmpty) }
    }

    @Test("an excerpt has the requested length", arguments: [(.max, "abab"), (2, "ab…"), (0, ""), (-1, "")])
    func excerpt(_ limit: Int, _ expected: String) {
        let response = FailedResponse(status: 500, body: Data("abab".utf8), url: url("http://a.test/"))
        #expect(response.excerpt(limit) == expected)
    }

    @Test("no content is right for Void, optionals and collections if the status says so", arguments: [204, 205])
    func noContent(status: Int) async throws {
        let builder = builder(status, "")
        try await builder.build().process()
        let maybe: User? = try await builder.build().process()
        let list: [User] = try await builder.build().process()
        let plain: [PlainUser] = try await builder.build().process()
        let byName: [String: User] = try await builder.build().process()
        let json: Json = try await builder.build().process()
        let response: Response<[User]> = try await builder.build().process()
        #expect(maybe == nil && list.isEmpty && plain.isEmpty && byName.isEmpty && json.isNull)
        #expect(response.model.isEmpty && response.status == status)
        let error = await #expect(throws: NetworkError.self) { let _: User = try await builder.build().process() }
        #expect(error?.code == .emptyBody)
        let plainError = await failure { let _: PlainUser = try await builder.build().process() }
        #expect(plainError?.code == .emptyBody)
    }

    @Test("an empty body of status 200 is an error for every model except an optional, and fine for Void and Data")
    func emptyBody() async throws {
        let builder = builder(200, "")
        try await builder.build().process()
        #expect(try await (builder.loadData().process() as Data).isEmpty)
        let list = await #expect(throws: NetworkError.self) { let _: [User] = try await builder.build().process() }
        let maybe: User? = try await builder.build().process()
        let maybePlain: PlainUser? = try await builder.build().process()
        let response: Response<PlainUser?> = try await builder.build().process()
        let model: Response<User?> = try await builder.build().process()
        let plain = await #expect(throws: NetworkError.self) { let _: PlainUser = try await builder.build().process() }
        #expect([list?.code, plain?.code] == [.emptyBody, .emptyBody])
        #expect(maybe == nil && maybePlain == nil && response.model == nil && model.model == nil)
        #expect(list?.response?.status == 200)
    }

    @Test(
        "content that is not JSON is a decoding error, whatever the output",
        arguments: [("<html>", 1), ("{\"a\":", 1), ("[1,]", 1), ("\u{FEFF}nul", 1), ("[", 10_000_000)]
    )
    func notJson(unit: String, count: Int) async throws {
        let text = String(repeating: unit, count: count)
        let model = await failure { let _: User = try await builder(200, text).build().process() }
        let json = await failure { let _: Json = try await builder(200, text).build().process() }
        #expect(model?.code == .decodingFailed)
        #expect(json?.code == .decodingFailed)
    }
}

@Suite("Name and password with the Basic scheme", .timeLimit(.minutes(10)), .paced)
struct BasicAuthorizationTests {
    let requests = Recorder<TransportRequest>()

    private func send(user: String, password: String) async throws {
        let client = Client(transport: requests.transport())
        try await UrlChainsBuilder<String>(client: client)
            .authorize(user: user, password: password).route(.get, "http://a.test/").build().process()
    }

    @Test("are sent unchanged, whatever the password contains")
    func sent() async throws {
        try await send(user: "Aladdin", password: "open: sesame")
        #expect(requests.values.map { $0.headers["Authorization"] } == ["Basic QWxhZGRpbjpvcGVuOiBzZXNhbWU="])
    }

    @Test(
        "with control characters, or a colon in the name, which would mean another one, fail the call (RFC 7617, 2)",
        arguments: ["\n", "\r", "\u{0}", "\t", "\u{7F}", ":"]
    )
    func refused(character: String) async throws {
        for (user, password) in [("a\(character)b", "secret"), ("a", "secret\(character)")] {
            if character == ":", user == "a" { continue }
            let error = await failure { try await send(user: user, password: password) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("colon") == (character == ":"))
            #expect(error.map { "\($0)" }?.contains("secret") == false)
        }
        #expect(requests.values.isEmpty)
        try await send(user: "ü\u{85}", password: "")
        #expect(requests.values.count == 1)
    }
}
