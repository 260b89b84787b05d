import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitObservability
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("A stored redirect in an archive", .timeLimit(.minutes(10)), .paced)
struct HARRedirectTests {
    @Test("is an entry of its own, and what it led to stands under its own URL; neither shows a secret")
    func stored() async throws {
        let fresh: Headers = ["Cache-Control": "max-age=60"]
        let transport = MockTransport { mock in
            mock.on(.get, "/a", .status(301, headers: fresh.adding("Location", "/b?token=SECRET")))
            mock.on(.get, "/b", .text("b").header("Cache-Control", "max-age=60"))
        }
        let sink = RecordingSink()
        let client = Client(transport: transport).cache(with: ResponseCache()).record(to: sink)
        let chain: Chain<Void, Data> = UrlChainsBuilder(client: client).route(.get, url("https://shop.test/a"))
            .loadData()
        for _ in 0..<2 { _ = try await chain.process() as Data }
        await client.flushRecords()
        #expect(transport.requests.count == 2)
        let records = sink.records
        let archive = try Json(parsing: HARWriter.data(of: [try #require(records.last)]))
        let entries = try #require(archive["log"]?["entries"]?.array)
        #expect(
            entries.map { $0["request"]?["url"]?.string } == [
                "https://shop.test/a", "https://shop.test/b?token=REDACTED",
            ]
        )
        #expect(entries.map { $0["response"]?["status"]?.int } == [301, 200])
        #expect(entries.map { $0["response"]?["redirectURL"]?.string } == ["https://shop.test/b?token=REDACTED", ""])
        #expect(entries.allSatisfy { $0["_fromCache"]?.string == "memory" })
    }
}

extension Headers {
    fileprivate func adding(_ name: String, _ value: String) -> Headers {
        var headers = self
        headers.append(name, value)
        return headers
    }
}
