import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitHTTP
import TestPace
import Testing

import CoreNetKitEssentials

@Suite("Cache, then network", .paced)
struct UpdatesTests {
    func updates(_ shop: ShopClient) async throws -> [CacheUpdate<String>] {
        let chain: Chain<Void, String> = shop.builder().build()
        var all: [CacheUpdate<String>] = []
        for try await update in chain.updates() { all.append(update) }
        return all
    }

    @Test("without a stored response there is one value, or an error")
    func nothingStored() async throws {
        let shop = ShopClient { request, number in
            if number > 1 { throw TransportError(.cannotConnect, phase: .connect, message: "offline") }
            return reply(200, [:], "one", url: request.url)
        }
        #expect(try await updates(shop).map(\.value) == ["one"])
        await shop.cache.removeAll()
        await #expect(throws: NetworkError.self) { try await updates(shop) }
    }

    @Test("a stale value comes first, the new one after it")
    func both() async throws {
        let shop = ShopClient { request, number in
            reply(200, ["Cache-Control": "max-age=1"], "\(number)", url: request.url)
        }
        _ = try await shop.text()
        shop.time.advance(60)
        let all = try await updates(shop)
        #expect(all.map(\.value) == ["1", "2"] && all.map(\.isStale) == [true, false])
    }

    @Test("a fresh, confirmed or unchanged value is not shown twice", arguments: [200, 304, 0])
    func unchanged(status: Int) async throws {
        let shop = ShopClient { request, number in
            number > 1 && status == 304
                ? reply(304, ["ETag": "\"a\""], "")
                : reply(200, ["Cache-Control": "max-age=1", "ETag": "\"a\""], "same", url: request.url)
        }
        _ = try await shop.text()
        if status != 0 { shop.time.advance(60) }
        #expect(try await updates(shop).map(\.value) == ["same"])
        #expect(shop.origin.count == (status == 0 ? 1 : 2))
    }

    @Test("a failure keeps the shown value, with the error beside it")
    func failure() async throws {
        let shop = ShopClient { request, number in
            if number > 1 { throw TransportError(.cannotConnect, phase: .connect, message: "offline") }
            return reply(200, ["Cache-Control": "max-age=1"], "one", url: request.url)
        }
        _ = try await shop.text()
        shop.time.advance(60)
        let all = try await updates(shop)
        #expect(all.map(\.value) == ["one", "one"])
        #expect((all.last?.error as? NetworkError)?.phase == .connect)
    }
}
