import TestSupport

@Suite("The log", .timeLimit(.minutes(10)), .paced)
struct LogTests {
    let sink = RecordingSink()

    func builder(status: Int = 200) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>()
            .set(transport: ClosureTransport(status: status, headers: ["Set-Cookie": "sid=s3cret"], "{}"))
            .route(.get, "http://user:pa55@a.test/x?token=s3cret&page=2")
    }

    @Test("shows the whole record of a failed call at once")
    func storyOfAFailure() async throws {
        await #expect(throws: NetworkError.self) { try await builder(status: 503).log(to: sink).build().process() }

        let tree = try await sink.waitForLogTrees(1)[0]
        guard case .failed(let error) = tree.outcome else {
            Issue.record("the outcome is \(tree.outcome)")
            return
        }
        #expect(error.status == 503)
        #expect(tree.lines.map(\.node) == ["TransportNode", "TransportNode", "StatusNode"])
        let text = tree.description
        #expect(text.contains("GET http://REDACTED:REDACTED@a.test/x?token=REDACTED&page=2"))
        #expect(text.contains("status 503"))
        #expect(text.split(separator: "\n").count == 4)
    }

    @Test("shows no secret at any level")
    func secretsStayOut() async throws {
        try await builder()
            .set(metadata: ["Authorization": "Bearer s3cret", "Cookie": "sid=s3cret", "X-Api-Key": "s3cret"])
            .log(to: sink, level: .debug)
            .build().process()

        let text = try await sink.waitForLogTrees(1)[0].description
        #expect(!text.contains("s3cret"))
        #expect(!text.contains("pa55"))
        #expect(text.contains("Authorization: Bearer REDACTED"))
    }

    @Test("leaves nodes out by their id, in whatever order that is set")
    func excludes() async throws {
        await #expect(throws: NetworkError.self) {
            try await builder(status: 503).log(exclude: ["TransportNode"]).log(to: sink).build().process()
        }
        try await sink.waitForLogTrees(1)
        await #expect(throws: NetworkError.self) {
            try await builder(status: 503).log(to: sink).log(exclude: ["StatusNode", "TransportNode"]).build().process()
        }

        #expect(try await sink.waitForLogTrees(2).map { $0.lines.map(\.node) } == [["StatusNode"], []])
    }

    @Test("is not called for successful calls if only failures count")
    func onlyFailures() async throws {
        let fine = builder().log(to: sink, isOnlyForFailures: true)
        try await fine.build().process()
        await fine.flushRecords()
        #expect(sink.logTrees.isEmpty)
        await #expect(throws: NetworkError.self) {
            try await builder(status: 404).log(to: sink, isOnlyForFailures: true).build().process()
        }
        #expect(try await sink.waitForLogTrees(1).count == 1)
    }

    @Test("drops lines below its level", arguments: [(LogLevel.debug, 8), (.info, 2), (.warning, 0)])
    func levels(level: LogLevel, count: Int) async throws {
        try await builder().log(to: sink, level: level).build().process()
        let tree = try await sink.waitForLogTrees(1)[0]
        #expect(tree.lines.allSatisfy { $0.level >= level })
        #expect(tree.lines.count >= min(count, 3))
        if count == 0 { #expect(tree.lines.isEmpty) }
    }

    @Test("keeps a line on one line, whatever the message")
    func oneLine() async throws {
        let builder = builder().insert(at: .call) { next in
            AnyNode<TransportRequest, TransportResponse>("Chatty", successors: [next]) { input, context in
                context.record(.info, "Chatty", "first\r\nsecond\u{1B}[31m")
                return try await next.process(input, context: context)
            }
        }
        try await builder.log(to: sink).build().process()

        let line = try #require(try await sink.waitForLogTrees(1)[0].lines.first { $0.node == "Chatty" })
        #expect(!line.message.contains { $0.isNewline || $0 == "\u{1B}" })
        #expect(line.message.hasPrefix("first"))
    }

    @Test("uses the client's configuration, and creates no message without listeners")
    func clientAndSilence() async throws {
        let client = Client(transport: ClosureTransport("{}")).log(to: sink)
        try await UrlChainsBuilder<String>(client: client).route(.get, "http://a.test/").build().process()
        #expect(try await sink.waitForLogTrees(1).count == 1)

        let context = RequestContext()
        func message() -> String {
            Issue.record("a message was made")
            return ""
        }
        context.record(.error, "Node", message())
    }

    @Test("of an observer writes each outcome once")
    func observerLog() async throws {
        Observer<Int>.emit(data: 1).log("Reader", to: sink)
        try await sink.waitForLogTrees(1)
        Observer<Int>.emit(error: NetworkError(.notFound, "none", node: "Reader")).log("Reader", to: sink)

        let trees = try await sink.waitForLogTrees(2)
        #expect(trees.map { $0.lines.map(\.node) } == [["Reader"], ["Reader"]])
        #expect(trees.last?.lines.first?.level == .error)
    }
}
