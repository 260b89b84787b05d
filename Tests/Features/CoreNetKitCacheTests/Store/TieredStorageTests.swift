import CoreNetKitCache
import FileModel
import TestSupport

@Suite("Memory before another storage", .timeLimit(.minutes(10)), .paced)
struct TieredStorageTests {
    let files = ModelFiles()
    let time = TestMachine()

    func tiers(_ behind: any CacheStorage, memory: Int64 = 1 << 20) -> TieredStorage {
        TieredStorage(front: MemoryStorage(limit: memory), behind: behind, copiesFor: .seconds(10), clock: time.clock)
    }

    /// Stores a response behind, and reads it, so that there is a copy.
    func use(_ tiers: TieredStorage) async {
        await tiers.store(variant(1), key(1))
        _ = await tiers.record(for: key(1))
    }

    @Test("a used response is not read from behind again")
    func copies() async {
        let tiers = tiers(disk(files))
        await use(tiers)
        for path in files.paths where path.contains("/common/") { files.change(path) { $0 = [] } }
        #expect(await tiers.bytes(key(1)) == variant(1).content.data)
        #expect(tiers.loadedRecord(for: key(1))?.variants.count == 1)
    }

    @Test("a hit says where it was: what is used again in memory, unless it is large; what is secret always")
    func tier() async throws {
        let large = String(repeating: "x", count: CacheVariant.inlineLimit + 1)
        let tiers = tiers(disk(files))
        let setting = Setting(storage: tiers, time: time) { request, _ in
            let path = request.url.path()
            var headers: Headers = fresh
            if path == "/secret" { headers["Set-Cookie"] = "a=b" }
            return reply(200, headers, path == "/large" ? large : "small")
        }
        for (path, tiers) in [
            ("/small", [nil, .disk, .memory]), ("/large", [nil, .disk, .disk]), ("/secret", [nil, .memory, .memory]),
        ] as [(String, [CallEvent.CacheTier?])] {
            var found: [CallEvent.CacheTier?] = []
            for _ in 0..<3 {
                _ = try await setting.text(get([:], page.sibling(path)))
                await setting.engine.vault.open.flush()
                found.append(setting.outcome?.tier)
            }
            #expect(found == tiers, "\(path)")
        }
    }

    @Test(
        "another process's invalidation reaches the copy at once if generations are known, its later response in time"
    )
    func otherProcess() async throws {
        let (tiers, other) = (tiers(disk(files)), disk(files))
        await use(tiers)
        #expect(await other.apply(.invalidate(CacheInvalidation([key(1)]))) == .written)
        let marked = try #require(tiers.loadedRecord(for: key(1)))
        #expect(marked.isInvalidated(marked.variants[0]))
        await other.store(variant(2), key(1))
        #expect(await tiers.bytes(key(1)) == variant(1).content.data)
        time.advance(11)
        #expect(tiers.loadedRecord(for: key(1)) == nil)
        #expect(await tiers.bytes(key(1)) == variant(2).content.data)
    }

    @Test("a partition emptied by another process leaves no copy, and its next response is found at once")
    func emptiedElsewhere() async {
        let (tiers, other) = (tiers(disk(files)), disk(files))
        await use(tiers)
        #expect(tiers.loadedRecord(for: key(1)) != nil)
        await other.removeAll(partition: nil)
        #expect(tiers.loadedRecord(for: key(1)) == nil)
        #expect(await !tiers.has(key(1)))
        await other.store(variant(2), key(1))
        #expect(await tiers.bytes(key(1)) == variant(2).content.data)
        #expect(tiers.loadedRecord(for: key(1))?.variants.count == 1)
    }

    @Test("before a storage that must be asked, this process's invalidations reach the copy at once, others' in time")
    func askedStorage() async throws {
        let behind = Faulty()
        let tiers = tiers(behind)
        await use(tiers)
        #expect(tiers.loadedRecord(for: key(1)) != nil)
        _ = await tiers.apply(.invalidate(CacheInvalidation([key(1)])))
        let record = try #require(await tiers.record(for: key(1)))
        #expect(record.isInvalidated(record.variants[0]))
        await tiers.put(variant(2), key(1))
        _ = await tiers.record(for: key(1))
        _ = await behind.apply(.invalidate(CacheInvalidation([key(1)])))
        #expect(tiers.loadedRecord(for: key(1)).map { $0.isInvalidated($0.variants[0]) } == false)
        time.advance(11)
        let late = try #require(await tiers.record(for: key(1)))
        #expect(late.isInvalidated(late.variants[0]))
    }

    @Test("what is written in pieces is found at once, and not the copy of what it replaces")
    func pieces() async {
        let tiers = tiers(disk(files))
        await use(tiers)
        #expect(tiers.loadedRecord(for: key(1)) != nil)
        let content = Data(repeating: 7, count: 1000)
        #expect(await tiers.write(content, key(1)))
        await tiers.flush()
        #expect(await tiers.bytes(key(1)) == content)
    }

    @Test("what is removed with its partition takes no memory any more", arguments: ["ann", nil])
    func removed(partition: String?) async {
        let front = MemoryStorage(limit: 1 << 20)
        let tiers = TieredStorage(front: front, behind: disk(files), copiesFor: .seconds(10), clock: time.clock)
        for partition in ["ann", "bob"] {
            await tiers.store(variant(1), key(1, partition: partition))
            _ = await tiers.record(for: key(1, partition: partition))
        }
        #expect(front.counts.entries == 2)
        await tiers.removeAll(partition: partition)
        #expect(front.counts.entries == (partition == nil ? 0 : 1))
    }

    @Test("what a slow or missing disk cannot take stays in memory")
    func alone() async {
        for path in ["/cache", "/missing/cache"] {
            let tiers = tiers(disk(files, at: path), memory: 64 << 20)
            for number in 0..<200 {
                #expect(await tiers.put(variant(number, bytes: 30_000), key(number)) == .written)
            }
            var missing: [Int] = []
            for number in 0..<200 where await !tiers.has(key(number)) { missing.append(number) }
            #expect(missing == [], "\(path)")
            await tiers.put(variant(9, bytes: 10), key(1))
            #expect(await tiers.bytes(key(1)) == variant(9, bytes: 10).content.data)
            if path != "/cache" { #expect(await tiers.counts.problem != nil) }
            await tiers.removeAll(partition: nil)
            for number in 0..<200 { #expect(await !tiers.has(key(number))) }
        }
    }
}
