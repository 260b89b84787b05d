import SecretKinds
import TestSupport

@Suite("A client's own secret names", .timeLimit(.minutes(10)), .paced)
struct SecretRulesTests {
    static let canary = SecretKind.canary
    static let own = SecretRules.standard
        .adding(fields: ["X-Corp-Id"], items: ["corp"], members: ["ssn"])
        .exempting(fields: ["X-Session-Color"], items: ["ticket"], members: ["pin"])

    let requests = Recorder<TransportRequest>()
    let sink = RecordingSink()

    /// `a.test` leads to `b.test`.
    func transport() -> ClosureTransport {
        ClosureTransport { request in
            requests.record(request)
            guard request.url.host == "a.test" else { return .init(status: 200, url: request.url) }
            return .init(status: 307, headers: ["Location": "http://b.test/"], url: request.url)
        }
    }

    func foreign(_ headers: Headers, _ rules: SecretRules = .standard) async throws -> [String] {
        try await UrlChainsBuilder<String>(client: Client(transport: transport()).secrets(rules))
            .set(headers: headers).route(.get, "http://a.test/").build().process()
        let request = try #require(requests.values.last { $0.url.host == "b.test" })
        return request.headers.map(\.name)
    }

    @Test("no secret field of the table follows a redirect to another origin")
    func secretsStay() async throws {
        let names = SecretKind.fields.map(\.text)
        let crossed = try await foreign(Headers(names.map { ($0, Self.canary) }))
        #expect(crossed.filter { names.contains($0) } == [])
    }

    @Test("each harmless field does")
    func harmlessCross() async throws {
        let names = HarmlessName.fields
        let crossed = Set(try await foreign(Headers(names.map { ($0, "7") })))
        #expect(names.filter { !crossed.contains($0) } == [])
    }

    @Test("a field that it adds stays with its origin, an exempted one continues")
    func redirects() async throws {
        let headers: Headers = ["X-Corp-Id": "7", "x-session-color": "red", "X-Session-Size": "1"]
        #expect(try await foreign(headers, Self.own).filter { $0.lowercased().hasPrefix("x-") } == ["x-session-color"])
        #expect(try await foreign(headers).filter { $0.lowercased().hasPrefix("x-") } == ["X-Corp-Id"])
    }

    @Test(
        "calls fail if it exempts what always carries credentials",
        arguments: ["Authorization", "proxy-authorization", "Cookie", "Set-Cookie"]
    )
    func neverHarmless(name: String) async throws {
        let client = Client(transport: transport()).secrets(.standard.exempting(fields: [name]))
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client).route(.get, "http://a.test/").build()
        let error = await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect(error?.code == .invalidChain)
        #expect(error?.message.lowercased().contains(name.lowercased()) == true)
        #expect(requests.values.isEmpty)
        #expect(SecretRules.standard.exempting(fields: [name]).verdict(field: name) == .secret)
    }

    @Test(
        "its own names are left out of records, lines, requests, responses and errors; a builder's replace them"
    )
    func views() async throws {
        struct Login: Encodable, Sendable { var ssn = SecretRulesTests.canary, pin = "1234" }
        let seen = Recorder<String>()
        let responding = ClosureTransport { request in
            .init(
                status: 500,
                headers: ["X-Corp-Id": Self.canary, "Content-Type": "application/json"],
                body: .bytes(Data(#"{"ssn":"\#(Self.canary)"}"#.utf8)),
                url: request.url
            )
        }
        let client = Client(transport: responding).secrets(.standard).log(to: sink, level: .debug)
            .record(to: sink, keepingBodies: true)
        let builder = UrlChainsBuilder<String>(client: client).secrets(Self.own).encode(as: .json)
            .set(headers: ["X-Corp-Id": Self.canary]).set(query: ["corp": Self.canary, "ticket": "shown-7"])
            .insert(at: .exchange) { next in
                AnyNode<TransportRequest, TransportResponse>("Curious", successors: [next]) { request, context in
                    let response = try await next.process(request, context: context)
                    for text in printed(request) + printed(response) { seen.record(text) }
                    return response
                }
            }
        let chain: Chain<Login, Void> = builder.route(.post, "http://a.test/x").build()
        let error = await #expect(throws: NetworkError.self) { try await chain.process(Login()) }
        var texts = seen.values + printed(try #require(error)) + printed(try #require(error?.response))
        texts += try await sink.waitForLogTrees(1).map(\.description)
        var dumped = ""
        for record in try await sink.waitForRecords(1) {
            dumped += printed(record).joined()
            for event in record.events {
                switch event.kind {
                case .exchangeStarted(let sent): dumped += String(decoding: sent.body ?? Data(), as: UTF8.self)
                case .responseHead(let head): dumped += String(decoding: head.body ?? Data(), as: UTF8.self)
                default: break
                }
            }
        }
        texts.append(dumped)
        for text in texts { #expect(!text.contains(Self.canary), "\(text)") }
        #expect(dumped.contains(#""pin":"1234""#) && dumped.contains(#""ssn":"REDACTED""#))
        #expect(texts.contains { $0.contains("ticket=shown-7") })
    }

    @Test("the last exemption is harmless, the last addition is secret, and names are compared without punctuation")
    func order() {
        let rules = SecretRules.standard.adding(members: ["ssn"])
        #expect(rules.verdict(member: "user.SSN") == .secret)
        #expect(rules.exempting(members: ["SSN"]).verdict(member: "ssn") == .harmless)
        #expect(rules.exempting(members: ["ssn"]).adding(members: ["s_s_n"]).verdict(member: "ssn") == .secret)
        #expect(SecretRules.standard.exempting(items: ["key"]).verdict(item: "key") == .harmless)
        #expect(SecretRules.standard.verdict(item: "key") == .secret)
        #expect("\(rules)" == "standard, 1 added, 0 exempted")
    }
}

@Suite("What values say of themselves", .timeLimit(.minutes(10)), .paced)
struct SecretValueTests {
    private static func leaks(_ kind: SecretKind, _ values: [Any]) -> [String] {
        values.flatMap(printed).filter { $0.contains(SecretKind.canary) }.map { "\(kind): \($0)" }
    }

    private static func headers(_ kind: SecretKind) -> Headers {
        var headers: Headers = ["Accept": "*/*"]
        if let name = kind.field { headers[name] = SecretKind.canary }
        if let url = kind.url { headers["Location"] = url }
        return headers
    }

    private static func url(_ kind: SecretKind) throws -> URL {
        try #require(URL(string: kind.url ?? "https://a.test/x", relativeTo: URL(string: "https://a.test/")))
    }

    /// The error of a call over a transport.
    private static func error(
        _ transport: ClosureTransport,
        _ url: URL,
        headers: Headers = [:],
        by rules: SecretRules = .standard
    )
        async throws -> NetworkError
    {
        let chain: Chain<Void, Json> = UrlChainsBuilder<URL>(client: Client(transport: transport)).secrets(rules)
            .set(headers: headers).route(.get, url).build()
        return try #require(await failure { _ = try await chain.call() })
    }

    @Test("requests, responses and fields show none of the secrets of the table")
    func values() throws {
        var leaks: [String] = []
        for kind in SecretKind.all {
            let (headers, url, body) = (Self.headers(kind), try Self.url(kind), Data(kind.json.utf8))
            let request = TransportRequest(method: .post, url: url, headers: headers, body: .bytes(body))
            let response = TransportResponse(status: 500, headers: headers, body: .bytes(body), url: url)
            let failed = FailedResponse(status: 500, headers: headers, body: body, url: url)
            let error = NetworkError(NetworkError.Code(status: 500), "status 500", node: "StatusNode", response: failed)
            leaks += Self.leaks(kind, [request, response, headers, headers.fields, failed, error])
        }
        #expect(leaks.prefix(10) == [])
    }

    @Test("the error of a call and its parts show none of the secrets of the table", arguments: [true, false])
    func errors(hasResponse: Bool) async throws {
        var leaks: [String] = []
        for kind in SecretKind.all {
            let (headers, url, body) = (Self.headers(kind), try Self.url(kind), Data(kind.json.utf8))
            let transport = ClosureTransport { request in
                guard hasResponse else {
                    throw TransportError(.cannotConnect, phase: .connect, message: "no way to \(request)")
                }
                return TransportResponse(status: 500, headers: headers, body: .bytes(body), url: request.url)
            }
            let error = try await Self.error(transport, url.absoluteURL, headers: headers)
            let parts: [Any?] = [error.response, error.cause]
            leaks += Self.leaks(kind, [error, error.localizedDescription] + parts.compactMap { $0 })
        }
        #expect(leaks.prefix(10) == [])
    }

    @Test(
        "an error shows no secret that a transport or a node of one's own wrote into its message",
        arguments: [true, false]
    )
    func ownMessages(isTransportError: Bool) async throws {
        struct TestError: Error, CustomStringConvertible { let description: String }
        var leaks: [String] = []
        for kind in SecretKind.all {
            guard let message = kind.message else { continue }
            let transport = ClosureTransport { _ in
                guard isTransportError else { throw TestError(description: message) }
                throw TransportError(.failed, phase: .wait, message: message)
            }
            let error = try await Self.error(transport, TestSupport.url("https://a.test/x"))
            leaks += Self.leaks(kind, [error.message, error.localizedDescription])
            // What somebody else's error says when it is dumped is in nobody's hands but theirs.
            if isTransportError { leaks += Self.leaks(kind, [error]) }
            let own = NetworkError(.nodeFailed, message, node: "OwnNode")
            let shown = [error.description, own.description, own.localizedDescription, String(reflecting: own)]
            leaks += shown.filter { $0.contains(SecretKind.canary) }
        }
        #expect(leaks.prefix(10) == [])
    }

    @Test("the rules of a client apply to the message of its transport, too")
    func ownRules() async throws {
        let transport = ClosureTransport { _ in
            throw TransportError(.failed, phase: .wait, message: "GET /x?corp_id=\(SecretKind.canary) failed")
        }
        let rules = SecretRules.standard.adding(items: ["corp_id"])
        let error = try await Self.error(transport, TestSupport.url("https://a.test/x"), by: rules)
        #expect(!error.description.contains(SecretKind.canary))
        #expect(!"\(try #require(error.cause))".contains(SecretKind.canary))
    }
}
