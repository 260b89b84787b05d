import CoreNetKit
import CoreNetKitCache
import CoreNetKitEssentials
import CoreNetKitHTTP
import TestPace
import Testing

@Suite("What a cache reports about a response", .paced)
struct OutcomeTests {
    @Test(
        "a hit is stale from the moment its lifetime ends, and if no lifetime is known",
        arguments: [(999, false), (1000, true), (1001, true), (nil, true)] as [(Int64?, Bool)]
    )
    func stale(age: Int64?, isStale: Bool) {
        #expect(CacheOutcome(.hit, .fresh, age: age, lifetime: 1000).isStale == isStale)
        #expect(!CacheOutcome(.validated, .fresh, age: age, lifetime: 1000).isStale)
    }

    @Test("content that was dropped or has failed is not stored", arguments: [true, false])
    func incomplete(isDropped: Bool) async throws {
        let shop = ShopClient { request, _ in
            var response = reply(isDropped ? 200 : 404, ChainCacheTests.fresh, "body", url: request.url)
            if !isDropped {
                response.contentFailure = TransportError(.connectionLost, phase: .receive, message: "gone")
            }
            return response
        }
        if isDropped {
            let chain: Chain<Void, Void> = shop.builder().build()
            try await chain.process()
            #expect(shop.origin.requests.map(\.delivery) == [.discard])
        } else {
            await #expect(throws: NetworkError.self) { try await shop.text() }
        }
        let second = try? await shop.text()
        #expect(second == (isDropped ? "body" : nil) && shop.origin.count == 2)
    }

    @Test("of a request with content the reason is its method", arguments: [HTTPMethod.post, .put, .patch])
    func method(_ method: HTTPMethod) async throws {
        let shop = ShopClient { request, _ in reply(200, [:], "{}", url: request.url) }
        let chain: Chain<[Int], Response<Json>> = UrlChainsBuilder<URL>(client: shop.client).route(method, page).build()
        let outcome = try #require(try await chain.process([1]).cache)
        #expect(outcome.description == "CoreNetKit; fwd=method; fwd-status=200")
    }
}
