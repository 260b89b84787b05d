import CoreNetKitCache
import CoreNetKitHTTP
import CoreNetKitSystem
import FileModel
import TestPace
import Testing

import CoreNetKitEssentials

@Suite("Memory before a disk", .paced)
struct TieredStorageTests {
    let files = ModelFiles()

    func storage(memory: Int64 = 1 << 20) -> TieredStorage {
        TieredStorage(memory: memory, disk: DiskStorage("/cache", limit: 8 << 20, files: files) { 0 })
    }

    func store(_ headers: Headers, selecting: [SelectingField] = [], _ storage: TieredStorage, _ key: CacheKey) async {
        let writer = await storage.writer(for: key, length: 4)
        _ = await writer?.write(Data("body".utf8))
        _ = await writer?.commit { variant(1, headers: headers, selecting: selecting).holding($0) }
        await storage.disk.flush()
    }

    @Test("what was used is not read from the disk again")
    func copies() async {
        let storage = storage()
        await store([:], storage, key(1))
        _ = await storage.record(for: key(1))
        files.fail { _, _ in 5 }
        #expect(await storage.bytes(key(1)) == Data("body".utf8))
    }

    @Test("a change is seen by who reads next")
    func changes() async {
        let storage = storage()
        await store([:], storage, key(1))
        _ = await storage.record(for: key(1))
        await storage.change(key(1)) { $0.invalidate(at: CacheTime(wall: 1, steady: 1, run: 1)) }
        #expect(await storage.record(for: key(1))?.variants.first?.isInvalid == true)
    }

    @Test("no byte of a secret is on the disk, and what has one is still a hit")
    func secrets() async throws {
        let canary = "c4n4ry"
        let storage = storage(memory: 0)
        await store(["Set-Cookie": "a=\(canary)"], storage, key(1))
        await store([:], selecting: [SelectingField(name: "authorization", value: canary)], storage, key(2))
        let withToken = try #require(URL(string: "http://shop.test/?token=\(canary)"))
        await store([:], storage, CacheKey(url: withToken))
        let withUser = CacheKey(url: page, partition: canary, isPersistent: false)
        await store([:], storage, withUser)
        await store([:], storage, key(5))
        for key in [key(1), key(2), CacheKey(url: withToken), withUser, key(5)] {
            #expect(await storage.bytes(key) == Data("body".utf8))
        }
        let cookie: Headers = ["Set-Cookie": "b=\(canary)"]
        await store([:], storage, key(6))
        let time = variant(9).requested
        await storage.change(key(6)) { record in
            record.variants = record.variants.map { $0.renewed(headers: cookie, requested: time, received: time) }
        }
        await storage.disk.flush()
        let onDisk = files.paths.filter { $0.contains("/common/") }
        #expect(onDisk.count == 1, "only the fifth")
        for path in files.paths {
            #expect(!String(decoding: files.bytes(of: path) ?? [], as: UTF8.self).contains(canary))
        }
    }
}
