import CoreNetKit
import CoreNetKitCache
import CoreNetKitHTTP
import TestPace
import Testing

@Suite("The cache and content that is not decoded", .timeLimit(.minutes(10)), .paced)
struct CodedContentTests {
    @Test("content that stays coded is neither looked up nor stored, and no coded content is stored for others")
    func coded() async throws {
        let shop = ShopClient { request, number in
            var headers = ChainCacheTests.fresh
            if request.coding == .identity { headers["Content-Encoding"] = "gzip" }
            return reply(200, headers, "\(number)", url: request.url)
        }
        #expect(try await shop.text() == "1")
        #expect(try await shop.text { $0.set(contentCoding: .identity) } == "2")
        #expect(try await shop.text { $0.set(contentCoding: .identity).add(header: "Accept-Encoding", "gzip") } == "3")
        #expect(try await shop.text() == "1")
        // A download says itself that it wants no coding, and is looked up.
        let identity = { (client: Client) in
            client.set(contentCoding: .identity).add(header: "Accept-Encoding", "identity")
        }
        #expect(try await shop.text("page", identity) == "1")
        #expect(try await shop.text("other", identity) == "4")
        #expect(try await shop.text("other") == "5")
    }
}
