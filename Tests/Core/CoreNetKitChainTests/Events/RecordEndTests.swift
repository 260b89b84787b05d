import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitSystem
import Dispatch
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("The end of a record", .timeLimit(.minutes(10)), .paced)
struct RecordEndTests {
    @Test("comes when a stream is closed, whoever still holds it")
    func closed() async throws {
        let sink = RecordingSink()
        let transport = ClosureTransport { request in
            let stream = ResponseStream(next: { Data("abc".utf8) }, cancel: {})
            return .init(status: 200, body: .stream(stream), url: request.url)
        }
        let chain: Chain<Void, ResponseStream> = UrlChainsBuilder<String>(client: Client(transport: transport))
            .record(to: sink).route(.get, "http://a.test/").loadStream()
        let stream: ResponseStream = try await chain.process()
        var chunks = stream.makeAsyncIterator()
        _ = try await chunks.next()
        stream.close()
        let record = try #require(await sink.waitForRecords(1).first)
        let ends = record.events.compactMap { event -> CallEvent.ExchangeEnd? in
            if case .exchangeEnded(let end) = event.kind { end } else { nil }
        }
        #expect(ends.map(\.result) == [.cancelled] && ends.first?.bytesRead == 3)
        #expect(try await chunks.next() == nil)
    }

    @Test("is not waited for by a cancelled task any longer, even if a sink is stuck")
    func stuck() async throws {
        struct Stuck: CallSink {
            let gate: DispatchSemaphore
            func write(_ record: CallRecord) { gate.wait() }
        }
        let gate = DispatchSemaphore(value: 0)
        let feed = CallFeed(to: Stuck(gate: gate))
        let client = Client(transport: ClosureTransport()).record(through: feed)
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client).route(.get, "http://a.test/").build()
        try await chain.process()
        let flush = Task { await feed.flush() }
        await Task.yield()
        flush.cancel()
        await flush.value
        gate.signal()
        await feed.flush()
    }
}
