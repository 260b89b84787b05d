import TestSupport

@Suite("Contents in the log", .timeLimit(.minutes(10)), .paced)
struct LogContentTests {
    private static let reason = #"{"error":"the name is taken","token":"s3cret"}"#
    private static let shown = #"{"error":"the name is taken","token":"REDACTED"}"#

    private let sink = RecordingSink()

    private func client(_ status: Int = 422, type: String = "application/json", _ text: String = reason) -> Client {
        Client(transport: ClosureTransport(status: status, headers: ["Content-Type": type], text)).log(to: sink)
    }

    private func call(_ client: Client) async -> NetworkError? {
        let chain: Chain<Json, Json> = UrlChainsBuilder<String>(client: client)
            .route(.post, "http://a.test/users").build()
        return await failure { _ = try await chain.call(["name": "Ann", "password": "s3cret"]) }
    }

    @Test("show why the server refused: in the log, in the error, and in the record's outcome, without secrets")
    func refusal() async throws {
        let error = try #require(await call(client().log(contents: 2048)))
        #expect("\(error)".hasSuffix("status 422; content: \(Self.shown)"))
        #expect(!error.message.contains("taken") && !error.localizedDescription.contains("taken"))
        let tree = try await sink.waitForLogTrees(1)[0]
        #expect("\(tree.outcome)".hasSuffix("status 422; content: \(Self.shown)"))
        let contents = tree.lines.map(\.message).filter { $0.hasPrefix("content: ") }
        #expect(contents.count == 2 && contents.last == "content: \(Self.shown)")
        #expect(contents.first?.contains(#""password":"REDACTED""#) == true)
        #expect(!tree.description.contains("s3cret"))
    }

    @Test("are in none of them without the verb, even if a recorder keeps contents")
    func off() async throws {
        let records = RecordingSink()
        for client in [
            client(), client().record(to: records, keepingBodies: true), client().log(contents: 9).log(contents: 0),
        ] {
            let error = try #require(await call(client))
            #expect(!"\(error)".contains("taken"))
            await client.flushRecords()
        }
        #expect(sink.logTrees.count == 3)
        for tree in sink.logTrees { #expect(!tree.description.contains("taken") && !tree.description.contains("Ann")) }
    }

    @Test("are in an error without any log, and are those that its client asks for, whatever the order of the verbs")
    func order() async throws {
        let transport = client().transport
        #expect("\(try #require(await call(Client(transport: transport).log(contents: 99))))".contains("taken"))
        let client = Client(transport: transport).log(contents: 99).log(to: sink)
        #expect("\(try #require(await call(client)))".contains("taken"))
        #expect(try await sink.waitForLogTrees(1)[0].description.contains("taken"))
        #expect(!"\(try #require(await call(client.log(contents: 0))))".contains("taken"))
        let byHand = Client(transport: transport).log(to: sink)
        var configured = byHand
        configured.configuration.log?.contents = 99
        #expect("\(try #require(await call(configured)))".contains("taken"))
        #expect(!"\(try #require(await call(byHand)))".contains("taken"))
    }

    @Test("are cut at the limit, of at most 64 KiB, in log and record", arguments: [(10, 10), (1 << 20, 64 << 10)])
    func bound(limit: Int, shown: Int) async throws {
        let text = String(repeating: "x", count: 100_000)
        let records = Recorder<CallRecord>()
        let client = client(422, type: "application/json", "[\"\(text)\"]").log(contents: limit)
            .record(to: ClosureCallSink { records.record($0) })
        let error = try #require(await call(client))
        await client.flushRecords()
        #expect(error.description.utf8.count < shown + 200 && error.description.hasSuffix("…"))
        let line = try #require(sink.logTrees.first?.lines.last { $0.message.hasPrefix("content: ") })
        #expect(line.message.utf8.count <= shown + "content: …".utf8.count && line.message.hasSuffix("…"))
        let head = records.values.first?.events.compactMap { event -> CallEvent.ReceivedHead? in
            if case .responseHead(let head) = event.kind { head } else { nil }
        }
        #expect(head?.first?.isBodyCut == true)
        #expect((head?.first?.body?.count ?? .max) <= shown + "…".utf8.count)
    }

    @Test(
        "of text and XML are shown, those of other types are named",
        arguments: [
            ("text/plain", "the name is taken", "the name is taken"),
            ("application/xml", "<Error><Code>Taken</Code></Error>", "<Error><Code>Taken</Code></Error>"),
            ("text/html", "<p>taken</p>", "(text/html, 12 bytes: not shown)"),
        ]
    )
    func types(type: String, text: String, shown: String) async throws {
        let error = try #require(await call(client(type: type, text).log(contents: 2048)))
        #expect("\(error)".hasSuffix("; content: \(shown)"))
        let line = try await sink.waitForLogTrees(1)[0].lines.last { $0.message.hasPrefix("content: ") }
        #expect(line?.message == "content: \(shown)")
    }

    @Test("show what could not be decoded")
    func decoding() async throws {
        let error = try #require(await call(client(200, type: "application/json", "[1, 2").log(contents: 2048)))
        #expect(error.code == .decodingFailed && "\(error)".hasSuffix("; content: [1, 2"))
    }

    @Test("follow the client's own secret names")
    func ownNames() async throws {
        let rules = SecretRules.standard.adding(members: ["error"])
        let error = try #require(await call(client().secrets(rules).log(contents: 2048)))
        #expect("\(error)".contains("content: ") && !"\(error)".contains("taken"))
        #expect(try await !sink.waitForLogTrees(1)[0].description.contains("taken"))
    }

    @Test("of a refused stream are in its error, on a real socket")
    func stream() async throws {
        let server = try LoopbackServer { _ in .json(Self.reason, status: 422) }
        let client = Client().log(to: sink).log(contents: 2048)
        let chain = UrlChainsBuilder<URL>(client: client).route(.get, server.url("/")).loadStream()
        let error = await failure { _ = try await chain.call() }
        #expect(error.map { "\($0)".hasSuffix("; content: \(Self.shown)") } == true)
        let tree = try await sink.waitForLogTrees(1)[0]
        #expect("\(tree.outcome)".hasSuffix("; content: \(Self.shown)"))
        #expect(tree.lines.contains { $0.message == "content: (application/json, streamed: not shown)" })
    }
}
