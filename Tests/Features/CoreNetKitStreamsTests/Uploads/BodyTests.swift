import CoreNetKitStreams
import TestSupport

@Suite("A body that is no model", .timeLimit(.minutes(10)), .paced)
struct BodyTests {
    private let server: LoopbackServer
    private let builder: UrlChainsBuilder<URL>

    init() throws {
        server = try LoopbackServer { _ in .json("{}") }
        builder = UrlChainsBuilder<URL>().route(.post, server.url("/x")).set(body: .bytes(Data("raw".utf8)))
    }

    private func expectRefusal<Input>(_ chain: Chain<Input, some Sendable>, _ input: Input) async {
        let error = await expectFailure(.invalidChain) { try await chain.call(input) }
        #expect(error?.message.contains("leave set(body:) out") == true)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "beside that of an input, the call fails before anything is sent",
        arguments: [.json, .formUrl] as [ParametersEncoding]
    )
    func besideInput(encoding: ParametersEncoding) async throws {
        let chain: Chain<Word, Void> = builder.encode(as: encoding).build()
        await expectRefusal(chain, Word(word: "a"))
    }

    @Test("is sent with an input that is the query")
    func besideQuery() async throws {
        let chain: Chain<Word, Void> = builder.encode(as: .urlQuery).build()
        try await chain.call(Word(word: "a"))
        let request = try #require(server.requests.first)
        #expect(request.query("word") == "a")
        #expect(Array(request.body) == Array("raw".utf8))
    }

    @Test("of an upload, which makes its own, fails each call before anything is sent")
    func besideUpload() async throws {
        await expectRefusal(builder.upload(.bytes(Data("all".utf8)), using: .tus()), ())
    }
}
