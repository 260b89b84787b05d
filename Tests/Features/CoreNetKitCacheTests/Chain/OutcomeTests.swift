import CoreNetKitCache
import TestSupport

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
        let shop = Shop { _, _ in
            var response = reply(isDropped ? 200 : 404, tagged, "body")
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
        let shop = Shop { _, _ in reply(200, [:], "{}") }
        let chain: Chain<[Int], Response<Json>> = UrlChainsBuilder<URL>(client: shop.client).route(method, page).build()
        let outcome = try #require(try await chain.process([1]).cache)
        #expect(outcome.description == "CoreNetKit; fwd=method; fwd-status=200")
    }

    @Test("content that stays coded is neither looked up nor stored, and no coded content is stored for others")
    func coded() async throws {
        let shop = Shop { request, number in
            var headers = tagged
            if request.coding == .identity { headers["Content-Encoding"] = "gzip" }
            return reply(200, headers, "\(number)")
        }
        #expect(try await shop.text() == "1")
        #expect(try await shop.text { $0.set(contentCoding: .identity) } == "2")
        #expect(try await shop.text { $0.set(contentCoding: .identity).add(header: "Accept-Encoding", "gzip") } == "3")
        #expect(try await shop.text() == "1")
        // A download says itself that it wants no coding, and is looked up.
        let download = shop.client.set(contentCoding: .identity).add(header: "Accept-Encoding", "identity")
        #expect(try await shop.text { _ in download } == "1")
        #expect(try await shop.text("other") { _ in download } == "4")
        #expect(try await shop.text("other") == "5")
    }
}

@Suite("Cache, then network", .paced)
struct UpdatesTests {
    /// A server that responds once.
    private static func shop(_ headers: Headers) -> Shop {
        Shop { try await $1 > 1 ? Origin.down($0, $1) : reply(200, headers, "one") }
    }

    private func updates(_ shop: Shop) async throws -> [CacheUpdate<String>] {
        let chain: Chain<Void, String> = shop.builder().build()
        return try await chain.updates().collect()
    }

    @Test("without a stored response there is one value, or an error")
    func nothingStored() async throws {
        let shop = Self.shop([:])
        #expect(try await updates(shop).map(\.value) == ["one"])
        await shop.cache.removeAll()
        await #expect(throws: NetworkError.self) { try await updates(shop) }
    }

    @Test("a stale value comes first, the new one after it")
    func both() async throws {
        let shop = Shop(Origin.numbered(control("max-age=1")))
        _ = try await shop.text()
        shop.time.advance(60)
        let all = try await updates(shop)
        #expect(all.map(\.value) == ["1", "2"] && all.map(\.isStale) == [true, false])
    }

    @Test("a fresh, confirmed or unchanged value is not shown twice", arguments: [200, 304, 0])
    func unchanged(status: Int) async throws {
        let shop = Shop { _, number in
            number > 1 && status == 304
                ? reply(304, ["ETag": "\"a\""], "") : reply(200, control("max-age=1", ["ETag": "\"a\""]), "same")
        }
        _ = try await shop.text()
        if status != 0 { shop.time.advance(60) }
        #expect(try await updates(shop).map(\.value) == ["same"])
        #expect(shop.origin.count == (status == 0 ? 1 : 2))
    }

    @Test("a failure keeps the shown value, with the error beside it")
    func failure() async throws {
        let shop = Self.shop(control("max-age=1"))
        _ = try await shop.text()
        shop.time.advance(60)
        let all = try await updates(shop)
        #expect(all.map(\.value) == ["one", "one"])
        #expect((all.last?.error as? NetworkError)?.phase == .connect)
    }
}
