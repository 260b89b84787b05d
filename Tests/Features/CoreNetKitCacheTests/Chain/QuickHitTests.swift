import CoreNetKitCache
import TestSupport

@Suite("A hit without waiting", .paced)
struct QuickHitTests {
    @Test("has the stored fields, and one age", arguments: ["10", "nonsense", nil])
    func fields(age: String?) async throws {
        let shop = Shop { _, _ in
            var headers: Headers = ["Cache-Control": "max-age=600", "X-Part": "1"]
            headers["Age"] = age
            return reply(200, headers, "[1]")
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
        let disk = disk()
        let tiers = TieredStorage(front: MemoryStorage(limit: 1 << 20), behind: disk, copiesFor: .seconds(3600))
        let setting = Setting(storage: tiers) { _, _ in reply(200, fresh) }
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
        let plain = Setting(fresh)
        try await plain.send()
        let short = get(delivery: .collect(limit: 3))
        for request in [get(["Range": "bytes=1-2"]), short, get(delivery: .stream)] {
            let finding = try #require(plain.engine.findNow(plain.engine.lookup(request, scope, acceptsStale: true)))
            #expect(plain.engine.respondNow(finding, to: request) == nil)
        }
        #expect(try await plain.send(get(["Range": "bytes=1-2"])).body.data == Data("od".utf8))
        await #expect(throws: TransportError.self) { try await plain.send(short) }
        #expect(plain.origin.count == 1)
    }

    @Test("a client without a cache has no cache node; a chain with the cache switched off reads and counts nothing")
    func off() async throws {
        let shop = Shop(Origin.numbered(fresh))
        let plain: Chain<Void, Data> = shop.builder("page", Client(transport: shop.origin)).build()
        #expect(!plain.description.contains("Cache") && !plain.description.contains("StoreNode"))
        for number in 1...3 { #expect(try await shop.text { $0.cache(.off) } == "\(number)") }
        #expect(shop.cache.counts == CacheCounts())
    }
}
