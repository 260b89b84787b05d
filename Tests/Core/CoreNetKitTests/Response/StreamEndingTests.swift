import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("The ending of a stream", .timeLimit(.minutes(10)), .paced)
struct StreamEndingTests {
    private static let transport = ClosureTransport { request in
        let rest = Locked(["a", "b"])
        let stream = ResponseStream(
            next: { rest.withLock { $0.isEmpty ? nil : Data($0.removeFirst().utf8) } },
            cancel: {},
            ending: { rest.withLock(\.isEmpty) ? .init(trailers: ["X-Sum": "6"]) : nil }
        )
        return .init(status: 200, body: .stream(stream), url: request.url)
    }

    @Test("comes through the chain: trailers and timings are known at the end of the content")
    func trailers() async throws {
        let builder = UrlChainsBuilder<String>(client: Client(transport: Self.transport)).route(.get, "https://a.test/")
        for builder in [builder, builder.limit(with: ConcurrencyLimiter()), builder.group(Client.CallGroup())] {
            let stream: ResponseStream = try await builder.loadStream().process()
            #expect(stream.ending == nil)
            for try await _ in stream {}
            #expect(stream.ending?.trailers["X-Sum"] == "6")
        }
    }
}
