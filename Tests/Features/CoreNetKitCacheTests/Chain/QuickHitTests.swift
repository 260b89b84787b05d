import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem
import FileModel
import TestPace
import Testing

import CoreNetKitEssentials

@Suite("A hit without waiting", .paced)
struct QuickHitTests {
    @Test("has the stored fields, and one age", arguments: ["10", "nonsense", nil])
    func fields(age: String?) async throws {
        let shop = ShopClient { request, _ in
            var headers: Headers = ["Cache-Control": "max-age=600", "X-Part": "1"]
            headers["Age"] = age
            return reply(200, headers, "[1]", url: request.url)
        }
        let chain: Chain<Void, Response<[Int]>> = shop.builder().build()
        _ = try await chain.process() as Response<[Int]>
        shop.time.advance(5)
        let hit = try await chain.process() as Response<[Int]>
        #expect(shop.origin.count == 1 && hit.model == [1] && hit.status == 200)
        #expect(hit.headers[values: "Age"] == [age == "10" ? "15" : "5"])
        #expect(hit.headers["X-Part"] == "1" && hit.cache?.source == .hit)
    }

    @Test("comes from memory even with a disk behind it")
    func memoryBeforeDisk() async throws {
        let files = ModelFiles()
        let disk = DiskStorage("/cache", limit: 8 << 20, files: files) { 0 }
        let tiers = TieredStorage(front: MemoryStorage(limit: 1 << 20), behind: disk, copiesFor: .seconds(3600))
        let setting = Setting(storage: tiers) { request, _ in
            reply(200, ["Cache-Control": "max-age=60"], url: request.url)
        }
        try await setting.send()
        await disk.flush()
        let lookup = setting.engine.lookup(get(), CacheScope(), acceptsStale: true)
        #expect(setting.engine.findNow(lookup) == nil, "only the disk knows it")
        _ = try await setting.text()
        let finding = try #require(setting.engine.findNow(lookup))
        let response = try #require(setting.engine.respondNow(finding, to: get())?.response)
        #expect(response.body.data == Data("body".utf8))
        await setting.engine.invalidate([page], in: CacheScope())
        #expect(setting.engine.findNow(lookup)?.decision.reason == .invalidated)
    }

    @Test("is not used if a group may be invalid, a range is requested, or the content is too long")
    func notQuick() async throws {
        let setting = Setting(["Cache-Control": "max-age=60", "Cache-Groups": "\"cart\""])
        try await setting.send()
        let scope = CacheScope()
        let grouped = setting.engine.lookup(get(), scope, acceptsStale: true)
        #expect(setting.engine.findNow(grouped) != nil, "no group was marked")
        await setting.engine.invalidate(group: "other", of: page)
        #expect(setting.engine.findNow(grouped) == nil)
        #expect(await setting.engine.find(grouped).decision.reason == .fresh)
        let plain = Setting(["Cache-Control": "max-age=60"])
        try await plain.send()
        var short = get()
        short.delivery = .collect(limit: 3)
        var stream = get()
        stream.delivery = .stream
        for request in [get(["Range": "bytes=1-2"]), short, stream] {
            let finding = try #require(plain.engine.findNow(plain.engine.lookup(request, scope, acceptsStale: true)))
            #expect(plain.engine.respondNow(finding, to: request) == nil)
        }
        #expect(try await plain.send(get(["Range": "bytes=1-2"])).body.data == Data("od".utf8))
        await #expect(throws: TransportError.self) { try await plain.send(short) }
        #expect(plain.origin.count == 1)
    }

    @Test(
        "differently written URLs are the same resource",
        arguments: [
            ("http://shop.test/a", "HTTP://Shop.TEST:80/a#part", true),
            ("https://shop.test", "https://shop.test:443/", true),
            ("http://shop.test/a?b=1", "http://shop.test/a?b=1#c", true),
            ("http://shop.test/a", "http://shop.test/A", false),
            ("http://shop.test/a", "http://shop.test:8080/a", false),
            ("http://shop.test/a", "http://shop.test/a?", false),
            ("http://shop.test/a", "https://shop.test/a", false), ("http://u@shop.test/a", "http://shop.test/a", false),
        ]
    )
    func keys(left: String, right: String, isSame: Bool) throws {
        let keys = try [left, right].map { CacheKey(url: try #require(URL(string: $0))) }
        #expect((keys[0] == keys[1]) == isSame)
        #expect(!isSame || keys[0].hashValue == keys[1].hashValue)
    }

    @Test("a step of the wall clock changes nothing within a run", arguments: [-86_400_000, 86_400_000])
    func steppedClock(seconds: Int64) async throws {
        let setting = Setting(["Cache-Control": "max-age=60"])
        try await setting.send()
        setting.time.setWall(seconds)
        try await setting.send()
        #expect(setting.origin.count == 1)
        setting.time.advance(61)
        try await setting.send()
        #expect(setting.origin.count == 2)
    }

    @Test("a client without a cache has no cache node; a chain with the cache switched off reads and counts nothing")
    func off() async throws {
        let shop = ShopClient { request, number in
            reply(200, ["Cache-Control": "max-age=60"], "\(number)", url: request.url)
        }
        let plain: Chain<Void, Data> = UrlChainsBuilder<URL>(client: Client(transport: shop.origin))
            .route(.get, page)
            .build()
        #expect(!plain.description.contains("Cache") && !plain.description.contains("StoreNode"))
        for number in 1...3 { #expect(try await shop.text { $0.cache(.off) } == "\(number)") }
        #expect(shop.cache.counts == CacheCounts())
    }
}
