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

    @Test("drops lines below its level", arguments: [LogLevel.debug, .info, .warning])
    func levels(level: LogLevel) async throws {
        try await builder().log(to: sink, level: level).build().process()
        let tree = try await sink.waitForLogTrees(1)[0]
        #expect(tree.lines.allSatisfy { $0.level >= level })
        #expect(tree.lines.isEmpty == (level == .warning))
        #expect(tree.lines.contains { $0.level == level } == (level != .warning))
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
