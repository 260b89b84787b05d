import CoreNetKit
import CoreNetKitHTTP
import Foundation
import Testing

@Suite("The log", .timeLimit(.minutes(4)))
struct LogTests {
    let stories = Recorder<CallStory>()
    var sink: ClosureSink { ClosureSink { stories.record($0) } }

    func builder(status: Int = 200) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>()
            .set(transport: ClosureTransport(status: status, headers: ["Set-Cookie": "sid=s3cret"], "{}"))
            .route(.get, "http://user:pa55@a.test/x?token=s3cret&page=2")
    }

    @Test("tells the whole story of a failed call in one go")
    func storyOfAFailure() async throws {
        await #expect(throws: NetworkError.self) { try await builder(status: 503).log(to: sink).build().process() }

        let story = try #require(stories.values.first)
        guard case .failed(let error) = story.outcome else {
            Issue.record("the outcome is \(story.outcome)")
            return
        }
        #expect((error as? NetworkError)?.status == 503)
        #expect(story.lines.map(\.node) == ["HeadersNode", "TransportNode", "StatusNode"])
        let text = story.description
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

        let text = try #require(stories.values.first).description
        #expect(!text.contains("s3cret"))
        #expect(!text.contains("pa55"))
        #expect(text.contains("Authorization: REDACTED"))
    }

    @Test("leaves nodes out by their id, in whatever order that is said")
    func excludes() async throws {
        try await builder().log(exclude: ["HeadersNode"]).log(to: sink).build().process()
        try await builder().log(to: sink).log(exclude: ["HeadersNode", "TransportNode"]).build().process()

        #expect(stories.values.map { $0.lines.map(\.node) } == [["TransportNode"], []])
    }

    @Test("is not asked about calls that went well when only failures count")
    func onlyFailures() async throws {
        try await builder().log(to: sink, isOnlyForFailures: true).build().process()
        #expect(stories.values.isEmpty)
        await #expect(throws: NetworkError.self) {
            try await builder(status: 404).log(to: sink, isOnlyForFailures: true).build().process()
        }
        #expect(stories.values.count == 1)
    }

    @Test("drops lines below its level", arguments: [(LogLevel.debug, 8), (.info, 2), (.warning, 0)])
    func levels(level: LogLevel, count: Int) async throws {
        try await builder().log(to: sink, level: level).build().process()
        #expect(stories.values.first?.lines.allSatisfy { $0.level >= level } == true)
        #expect((stories.values.first?.lines.count ?? 0) >= min(count, 3))
        if count == 0 { #expect(stories.values.first?.lines.isEmpty == true) }
    }

    @Test("keeps a line one line, whatever the message")
    func oneLine() async throws {
        let builder = builder().insert(at: .aroundCall) { next in
            AnyNode<TransportRequest, TransportResponse>("Chatty", successors: [next]) { input, context in
                context.record(.info, "Chatty", "first\r\nsecond\u{1B}[31m")
                return try await next.process(input, context: context)
            }
        }
        try await builder.log(to: sink).build().process()

        let line = try #require(stories.values.first?.lines.first { $0.node == "Chatty" })
        #expect(!line.message.contains { $0.isNewline || $0 == "\u{1B}" })
        #expect(line.message.hasPrefix("first"))
    }

    @Test("takes the client's configuration, and makes no message when nobody listens")
    func clientAndSilence() async throws {
        let client = Client(transport: ClosureTransport("{}"), log: LogConfiguration(to: sink))
        try await UrlChainsBuilder<String>(client: client).route(.get, "http://a.test/").build().process()
        #expect(stories.values.count == 1)

        let context = RequestContext()
        func message() -> String {
            Issue.record("a message was made")
            return ""
        }
        context.record(.error, "Node", message())
    }

    @Test("of an observer writes each outcome once")
    func observerLog() async throws {
        let written = Signal()
        let sink = ClosureSink { story in
            stories.record(story)
            written.signal()
        }
        Observer<Int>.emit(data: 1).log("Reader", to: sink)
        await written.wait(1)
        Observer<Int>.emit(error: NetworkError(.notFound, "none", stage: "Reader")).log("Reader", to: sink)
        await written.wait(2)

        #expect(stories.values.map { $0.lines.map(\.node) } == [["Reader"], ["Reader"]])
        #expect(stories.values.last?.lines.first?.level == .error)
    }
}
