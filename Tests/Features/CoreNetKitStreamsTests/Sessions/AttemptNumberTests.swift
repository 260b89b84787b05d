import CoreNetKitStreams
import TestSupport

@Suite("The number of the attempt, in errors from outside of retry", .timeLimit(.minutes(10)), .paced)
struct AttemptNumberTests {
    private let wire: Wire

    init() throws { wire = try Wire() }

    /// The first attempt gets a 503.
    private func chain(_ second: LoopbackResponse) -> UrlChainsBuilder<URL> {
        wire.server.on(.get, "/") { $0.index == 0 ? .status(503) : second }
        let backoff = RetryPolicy.Backoff.exponential(base: .microseconds(1), cap: .microseconds(1))
        return wire.get("/").retry(RetryPolicy(limit: 1, backoff: backoff))
    }

    @Test("is that of the response whose content breaks while it is read")
    func stream() async throws {
        let lines: Chain<Void, ElementStream<Word>> = chain(
            .pieces("application/x-ndjson", "{\"word\":\"a\"}\n", "{\"word\":\"b\"}\n").fault(.reset(.inBody(13)))
        ).lines(reading: .json)
        let stream = try await lines.process()
        let error = await #expect(throws: NetworkError.self) { try await stream.collect() }
        #expect(error?.code == .connectionLost, "\(String(describing: error))")
        #expect(error?.attempt == 2)
    }

    @Test("is that of the response that cannot be decoded, or whose media type is refused", arguments: [false, true])
    func whole(isTyped: Bool) async throws {
        let second = isTyped ? LoopbackResponse.data(Data("<p>".utf8), type: "text/html") : .json("{}")
        let words: Chain<Void, Word> = (isTyped ? chain(second).accepting([.json]) : chain(second)).build()
        let error = await #expect(throws: NetworkError.self) { try await words.process() }
        #expect(error?.code == .decodingFailed && error?.attempt == 2)
    }
}
