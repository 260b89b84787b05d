import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem
import FileModel
import TestPace
import Testing

import CoreNetKitEssentials

@Suite("Writes elsewhere", .timeLimit(.minutes(10)), .paced)
struct MarksElsewhereTests {
    static let fresh: Headers = ["Cache-Control": "max-age=86400", "ETag": "\"a\""]
    static let modes: [CacheMode] = [.only, .standard, .staleIfError(for: .seconds(3600))]

    /// 200 articles and 10 000 writes to another server, each to a URL of its own; a few of them by calls.
    private func fill(_ cache: ResponseCache, _ client: Client) async throws {
        for number in 0..<200 { _ = try await text(number, .standard, client) }
        for number in 0..<100 {
            let url = try #require(URL(string: "http://likes.test/\(number)?by=call"))
            let chain: Chain<Void, Void> = UrlChainsBuilder(client: client).route(.post, url).build()
            try await chain.process() as Void
        }
        for number in 100..<10_000 {
            await cache.invalidate(try #require(URL(string: "http://likes.test/\(number)?by=hand")))
        }
    }

    private func text(_ number: Int, _ mode: CacheMode, _ client: Client) async throws -> String {
        let url = page.deletingLastPathComponent().appending(path: "article-\(number)")
        let chain: Chain<Void, Data> = UrlChainsBuilder(client: client).route(.get, url).cache(mode).loadData()
        return String(decoding: try await chain.process() as Data, as: UTF8.self)
    }

    private func usable(_ mode: CacheMode, _ client: Client) async -> Int {
        var count = 0
        for number in 0..<200 {
            if let content = try? await text(number, mode, client), content == "/article-\(number)" { count += 1 }
        }
        return count
    }

    @Test("leave every fresh response usable without a network, in memory")
    func memory() async throws {
        let shop = ShopClient { request, _ in reply(200, Self.fresh, request.url.path, url: request.url) }
        try await fill(shop.cache, shop.client)
        shop.origin.respond { request, _ in
            throw TransportError(.cannotConnect, phase: .connect, message: "the network is down")
        }
        for mode in Self.modes { #expect(await usable(mode, shop.client) == 200, "\(mode)") }
    }

    @Test("leave every fresh response usable without a network, on disk and in the next run of the program")
    func disk() async throws {
        let shop = try DiskShop { request, _ in reply(200, Self.fresh, request.url.path, url: request.url) }
        try await fill(shop.cache, shop.client)
        shop.origin.respond { request, _ in
            throw TransportError(.cannotConnect, phase: .connect, message: "the network is down")
        }
        for mode in Self.modes { #expect(await usable(mode, shop.client) == 200, "\(mode)") }
        await shop.cache.flush()
        let next = try DiskShop(in: shop.folder) { _, _ in
            throw TransportError(.cannotConnect, phase: .connect, message: "down")
        }
        #expect(await usable(.only, next.client) == 200)
        // The one that is written is not, in either program.
        await next.cache.invalidate(page.deletingLastPathComponent().appending(path: "article-7"))
        #expect(await usable(.only, next.client) == 199)
        #expect(await usable(.only, shop.client) == 199)
    }
}

extension MarksElsewhereTests {
    /// What each storage says of URLs of some origins, beside a list of all marks.
    @Test(
        "a mark is never missed, whichever process made it, and is exact for as long as it is recent",
        arguments: 0..<4
    )
    func model(seed: UInt64) async throws {
        var random = Numbers(state: seed)
        let files = ModelFiles()
        var storages = (0..<2).map { _ in DiskStorage("/cache", limit: 1 << 20, files: files) { 0 } }
        let keys = try (0..<60).map { number in
            CacheKey(url: try #require(URL(string: "http://host\(number % 6).test/\(number / 6)")))
        }
        // Of each key: the time of its last mark, and what was counted at a time.
        var marked: [Int: Int] = [:]
        var seen: [(key: Int, time: Int, counters: CacheCounters)] = []
        for time in 0..<1_500 {
            let (storage, key) = (storages[random.below(2)], random.below(60))
            switch random.below(20) {
            case 0..<8:
                let other = random.below(60)
                #expect(await storage.apply(.mark(CacheMark([keys[key], keys[other]]))) == .written)
                (marked[key], marked[other]) = (time, time)
            case 8..<16: seen.append((key, time, try #require(storage.counters(of: keys[key]))))
            case 16: storages[random.below(2)] = DiskStorage("/cache", limit: 1 << 20, files: files) { 0 }
            case 17 where seed % 2 == 1: damage(files, &random)
            default: break
            }
            guard time % 50 == 0 else { continue }
            for entry in seen {
                let now = storages.map { $0.counters(of: keys[entry.key]) }
                if seed % 2 == 0 { #expect(now[0] == now[1]) }
                let isMarked = marked[entry.key].map { $0 > entry.time } ?? false
                for counters in now where isMarked {
                    #expect(counters?.url != entry.counters.url, "missed at \(entry.time)")
                }
                if !isMarked, seed % 2 == 0 { #expect(now[0]?.url == entry.counters.url) }
            }
        }
    }

    /// The marks are lost, cut or changed.
    private func damage(_ files: ModelFiles, _ random: inout Numbers) {
        let path = "/cache/v2/marks"
        switch random.below(3) {
        case 0: try? files.remove(path)
        case 1: files.change(path) { $0.removeLast(min($0.count, 20_000)) }
        default:
            for _ in 0..<8 {
                let place = random.below(70_000)
                files.change(path) { if place < $0.count { $0[place] ^= 4 } }
            }
        }
    }

    @Test("of a folder of the version before everything is fresh that was, and each version sees the other's marks")
    func versionBefore() async throws {
        let files = ModelFiles()
        let folder = DiskFolder(root: "/cache", files: files)
        try folder.prepare()
        // Its file had the counters alone, and a response the one of its URL's slot.
        var out = RecordWriter()
        let count = CacheCounterTable.slots + 1025
        for word in 0..<UInt64(count + 2) {
            out.number64(word == 0 ? 0x3173_6B72_614D_4B43 : word &* 0x9E37_79B9_7F4A_7C15)
        }
        let file = try files.open("/cache/v2/counters", .create)
        try files.writeAll(file, out.bytes, at: 0)
        func number(_ slot: Int) -> UInt64 {
            let bytes = files.bytes(of: "/cache/v2/counters") ?? []
            return (0..<8).reduce(0) { $0 | UInt64(bytes[(slot + 2) * 8 + $1]) << (8 * UInt64($1)) }
        }
        let storage = DiskStorage("/cache", limit: 1 << 20, files: files) { 0 }
        let before = (1...200).map { number(key($0).slot) }
        func fresh() -> [Int] { (1...200).filter { storage.counters(of: key($0))?.url == before[$0 - 1] } }
        #expect(fresh() == Array(1...200))
        for other in 1_000..<3_000 { _ = await storage.apply(.mark(CacheMark([key(other)]))) }
        #expect(fresh() == Array(1...200))
        let old = number(key(5).slot)
        _ = await storage.apply(.mark(CacheMark([key(5)])))
        let rest = (1...200).filter { $0 != 5 }
        #expect(fresh() == rest)
        #expect(number(key(5).slot) != old)
        // A mark of that version: a number for the slot, and one that says so.
        for word in [key(9).slot + 2, 1] { try files.writeAll(file, [1, 2, 3, 4, 5, 6, 7, 8], at: word * 8) }
        let left = fresh()
        #expect(!left.contains(9))
        #expect(left.count >= 190)
    }

    @Test("a mark reads what other processes have marked, and nothing of its own again")
    func ownMarks() async throws {
        let files = ModelFiles()
        let (first, second) = (
            DiskStorage("/cache", limit: 1 << 20, files: files) { 0 },
            DiskStorage("/cache", limit: 1 << 20, files: files) { 0 }
        )
        for storage in [first, second] { _ = await storage.apply(.mark(CacheMark([key(1)]))) }
        _ = first.counters(of: key(2))
        files.limit(transfers: 4096)
        let reads = Locked(0)
        files.fail { operation, _ in
            if operation == .read { reads.withLock { $0 += 1 } }
            return nil
        }
        for number in 0..<10 {
            _ = await first.apply(.mark(CacheMark([key(number)])))
            _ = first.counters(of: key(2))
        }
        #expect(reads.withLock { $0 } == 20)
        _ = second.counters(of: key(2))
        #expect(reads.withLock { $0 } > 40)
    }

    @Test("behind the recent ones a mark is one of its whole origin, and of no other")
    func oldMarks() throws {
        var table = CacheCounterTable()
        let before = (1...50).map { table.counters(of: key($0)) }
        let other = CacheKey(url: try #require(URL(string: "http://other.test/")))
        let beforeOther = table.counters(of: other)
        table.mark(CacheMark([key(7)]))
        for number in 0..<9_000 {
            if number == 8_000 {
                let changed = (1...50).filter { table.counters(of: key($0)) != before[$0 - 1] }
                #expect(changed == [7])
            }
            let url = try #require(URL(string: "http://elsewhere.test/\(number)"))
            table.mark(CacheMark([CacheKey(url: url)]))
        }
        let same = (1...50).filter { table.counters(of: key($0)) == before[$0 - 1] }
        #expect(same == [])
        #expect(table.counters(of: other) == beforeOther)
    }

    @Test("marks of URLs leave groups as they were")
    func groups() {
        var table = CacheCounterTable()
        let slots = (0..<50).map { key(1).slot(ofGroup: "group \($0)") }
        let before = table.numbers(at: slots)
        for number in 0..<9_000 { table.mark(CacheMark([key(number)])) }
        #expect(table.numbers(at: slots) == before)
        table.mark(CacheMark(groups: [slots[3]]))
        #expect(table.numbers(at: [slots[3]]) != [before[3]])
    }
}

/// The same numbers for the same seed.
private struct Numbers {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
