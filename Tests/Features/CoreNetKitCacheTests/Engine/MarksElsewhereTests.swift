import FileModel
import TestSupport

@testable import CoreNetKitCache

@Suite("Writes elsewhere", .timeLimit(.minutes(10)), .paced)
struct MarksElsewhereTests {
    private let files = ModelFiles()

    private func storage() -> DiskStorage { DiskStorage("/cache", limit: 1 << 20, files: files) { 0 } }

    /// 200 articles and 10 000 writes to another server, each to a URL of its own; a few of them by calls.
    private func fill(_ shop: Shop) async throws {
        for number in 0..<200 { _ = try await shop.text("article-\(number)") }
        for number in 0..<100 { try await shop.client.text("http://likes.test/\(number)?by=call", by: .post) }
        for number in 100..<10_000 { await shop.cache.invalidate(url("http://likes.test/\(number)?by=hand")) }
    }

    private func usable(_ mode: CacheMode, _ shop: Shop) async -> Int {
        var count = 0
        for path in (0..<200).map({ "article-\($0)" }) {
            if let content = try? await shop.text(path, [:], { $0.cache(mode) }), content == "/\(path)" { count += 1 }
        }
        return count
    }

    @Test(
        "leave every fresh response usable without a network, in memory, and on disk also in the next run of the program",
        arguments: [false, true]
    )
    func fresh(onDisk: Bool) async throws {
        let handler: Origin.Handler = { request, _ in
            reply(200, control("max-age=86400", ["ETag": "\"a\""]), request.url.path)
        }
        let shop = onDisk ? Shop(disk: .mebibytes(64), handler) : Shop(handler)
        try await fill(shop)
        shop.origin.respond(Origin.down)
        for mode in [CacheMode.only, .standard, .staleIfError(for: .seconds(3600))] {
            #expect(await usable(mode, shop) == 200, "\(mode)")
        }
        guard onDisk else { return }
        await shop.cache.flush()
        let next = Shop(disk: .mebibytes(64), in: shop.folder, Origin.down)
        #expect(await usable(.only, next) == 200)
        // The one that is written is not, in either program.
        await next.cache.invalidate(page.sibling("article-7"))
        #expect(await usable(.only, next) == 199)
        #expect(await usable(.only, shop) == 199)
    }
}

extension MarksElsewhereTests {
    /// What each storage says of URLs of some origins, beside a list of all invalidations.
    @Test(
        "an invalidation is never missed, whichever process made it, and is exact for as long as it is recent",
        arguments: 0..<4
    )
    func model(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var storages = (0..<2).map { _ in storage() }
        let keys = (0..<60).map { CacheKey(url: url("http://host\($0 % 6).test/\($0 / 6)")) }
        // Of each key: the time of its last invalidation, and what was counted at a time.
        var marked: [Int: Int] = [:]
        var seen: [(key: Int, time: Int, generations: CacheGenerations)] = []
        for time in 0..<TestRounds.count(600) {
            let (storage, key) = (storages[random.below(2)], random.below(60))
            switch random.below(20) {
            case 0..<8:
                let other = random.below(60)
                #expect(await storage.apply(.invalidate(CacheInvalidation([keys[key], keys[other]]))) == .written)
                (marked[key], marked[other]) = (time, time)
            case 8..<16: seen.append((key, time, try #require(storage.generations(of: keys[key]))))
            case 16: storages[random.below(2)] = self.storage()
            case 17 where seed % 2 == 1: damage(files, &random)
            default: break
            }
            guard time % 50 == 0 else { continue }
            for entry in seen {
                let now = storages.map { $0.generations(of: keys[entry.key]) }
                if seed % 2 == 0 { #expect(now[0] == now[1]) }
                let isInvalidated = marked[entry.key].map { $0 > entry.time } ?? false
                for generations in now where isInvalidated {
                    #expect(generations?.url != entry.generations.url, "missed at \(entry.time)")
                }
                if !isInvalidated, seed % 2 == 0 { #expect(now[0]?.url == entry.generations.url) }
            }
        }
    }

    /// The invalidations are lost, cut or changed.
    private func damage(_ files: ModelFiles, _ random: inout SplitMix64) {
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

    @Test("in a folder of the version before all is fresh that was, and each version sees the other's invalidations")
    func versionBefore() async throws {
        let folder = DiskFolder(root: "/cache", files: files)
        try folder.prepare()
        // Its file had the generations alone, and a response the one of its URL's slot.
        var out = RecordWriter()
        let count = CacheGenerationTable.slots + 1025
        for word in 0..<UInt64(count + 2) {
            out.append(word == 0 ? 0x3173_6B72_614D_4B43 : word &* 0x9E37_79B9_7F4A_7C15)
        }
        let file = try files.open("/cache/v2/counters", .create)
        try files.writeAll(file, out.bytes, at: 0)
        func number(_ slot: Int) -> UInt64 {
            let bytes = files.bytes(of: "/cache/v2/counters") ?? []
            return (0..<8).reduce(0) { $0 | UInt64(bytes[(slot + 2) * 8 + $1]) << (8 * UInt64($1)) }
        }
        let storage = self.storage()
        let before = (1...200).map { number(key($0).slot) }
        func fresh() -> [Int] { (1...200).filter { storage.generations(of: key($0))?.url == before[$0 - 1] } }
        #expect(fresh() == Array(1...200))
        for other in 1_000..<3_000 { _ = await storage.apply(.invalidate(CacheInvalidation([key(other)]))) }
        #expect(fresh() == Array(1...200))
        let old = number(key(5).slot)
        _ = await storage.apply(.invalidate(CacheInvalidation([key(5)])))
        let rest = (1...200).filter { $0 != 5 }
        #expect(fresh() == rest)
        #expect(number(key(5).slot) != old)
        // An invalidation of that version: a number for the slot, and one that says so.
        for word in [key(9).slot + 2, 1] { try files.writeAll(file, [1, 2, 3, 4, 5, 6, 7, 8], at: word * 8) }
        let left = fresh()
        #expect(!left.contains(9) && left.count >= 190)
    }

    @Test("an invalidation reads what other processes have invalidated, and nothing of its own again")
    func ownMarks() async throws {
        let (first, second) = (storage(), storage())
        for storage in [first, second] { _ = await storage.apply(.invalidate(CacheInvalidation([key(1)]))) }
        _ = first.generations(of: key(2))
        files.limit(transfers: 4096)
        let reads = Locked(0)
        files.fail { operation, _ in
            if operation == .read { reads.withLock { $0 += 1 } }
            return nil
        }
        for number in 0..<10 {
            _ = await first.apply(.invalidate(CacheInvalidation([key(number)])))
            _ = first.generations(of: key(2))
        }
        #expect(reads.withLock { $0 } == 20)
        _ = second.generations(of: key(2))
        #expect(reads.withLock { $0 } > 40)
    }

    @Test("behind the recent ones an invalidation is one of its whole origin, and of no other")
    func oldMarks() throws {
        var table = CacheGenerationTable()
        let before = (1...50).map { table.generations(of: key($0)) }
        let other = CacheKey(url: try #require(URL(string: "http://other.test/")))
        let beforeOther = table.generations(of: other)
        table.invalidate(CacheInvalidation([key(7)]))
        for number in 0..<9_000 {
            if number == 8_000 {
                let changed = (1...50).filter { table.generations(of: key($0)) != before[$0 - 1] }
                #expect(changed == [7])
            }
            let url = try #require(URL(string: "http://elsewhere.test/\(number)"))
            table.invalidate(CacheInvalidation([CacheKey(url: url)]))
        }
        let same = (1...50).filter { table.generations(of: key($0)) == before[$0 - 1] }
        #expect(same == [])
        #expect(table.generations(of: other) == beforeOther)
    }

    @Test("invalidations of URLs leave groups as they were")
    func groups() {
        var table = CacheGenerationTable()
        let slots = (0..<50).map { key(1).slot(ofGroup: "group \($0)") }
        let before = table.numbers(at: slots)
        for number in 0..<9_000 { table.invalidate(CacheInvalidation([key(number)])) }
        #expect(table.numbers(at: slots) == before)
        table.invalidate(CacheInvalidation(groups: [slots[3]]))
        #expect(table.numbers(at: [slots[3]]) != [before[3]])
    }
}

extension SplitMix64 {
    fileprivate mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}

@Suite("The invalidations that a file has for all processes", .timeLimit(.minutes(10)), .paced)
struct RecentMarksTests {
    private static let keys = (0..<9_000).map { CacheKey(url: url("http://host\($0 % 31).test/\($0)")) }

    /// Marks of the first keys, and the file that they have become.
    private struct Writer {
        var marks = RecentMarks()
        var file = RecentMarks.none

        mutating func mark(_ key: CacheKey) {
            for word in marks.add(key, correction: UInt64(key.place & 0xFF)) { file[word] = marks[word] }
        }

        func update(_ other: inout RecentMarks) -> Bool { other.update { Array(file[$0]) } }
    }

    @Test(
        "are read alike by whoever has followed and by whoever begins, also when the oldest ones have left",
        arguments: [0, 1, 100, RecentMarks.capacity, RecentMarks.capacity + 1, 9_000]
    )
    func reading(count: Int) {
        var (writer, follower, late, beginner) = (Writer(), RecentMarks(), RecentMarks(), RecentMarks())
        #expect(Self.keys.count == 9_000)
        for (number, key) in Self.keys.prefix(count).enumerated() {
            writer.mark(key)
            if number % 1_500 == 7 { #expect(writer.update(&follower)) }
            if number == 10 { #expect(writer.update(&late)) }
        }
        #expect(writer.update(&follower) && writer.update(&late) && writer.update(&beginner))
        for read in [follower, late, beginner] {
            let apart = Self.keys.filter { read.offset(of: $0) != writer.marks.offset(of: $0) }
            #expect(apart.isEmpty, "\(apart.count): \(String(describing: apart.first))")
            let slots = 0..<CacheGenerationTable.slots
            #expect(slots.allSatisfy { read.correction(at: $0) == writer.marks.correction(at: $0) })
        }
    }

    @Test("change the number of their URL, and of others only of its origin once they leave")
    func marking() {
        var writer = Writer()
        for key in Self.keys.prefix(RecentMarks.capacity) { writer.mark(key) }
        func offsets() -> [UInt64] {
            Self.keys.map { writer.marks.offset(of: $0) &- writer.marks.correction(at: $0.slot) }
        }
        let before = offsets()
        writer.mark(Self.keys[8_999])
        let (after, left) = (offsets(), Self.keys[0].place & UInt64(CacheGenerationTable.slots - 1))
        for (number, key) in Self.keys.enumerated() {
            let isOrigin = key.place & UInt64(CacheGenerationTable.slots - 1) == left
            #expect((before[number] != after[number]) == (isOrigin || number == 8_999), "\(number)")
        }
    }

    @Test("are not read from a file in which any word of them is another one, or that ends before them")
    func damage() {
        var writer = Writer()
        for key in Self.keys.prefix(20) { writer.mark(key) }
        var unseen: [String] = []
        for word in [0] + Array(RecentMarks.headWords..<RecentMarks.headWords + 40) {
            for bit in [0, 15, 16, 63] {
                var (damaged, marks) = (writer, RecentMarks())
                damaged.file[word] ^= 1 << UInt64(bit)
                if damaged.update(&marks) { unseen.append("bit \(bit) of \(word)") }
            }
        }
        // A checksum of 16 bits is right by chance one time in 65 536.
        #expect(unseen.count <= 1, "\(unseen)")
        for end in [0, 1, RecentMarks.headWords - 1, RecentMarks.headWords, RecentMarks.headWords + 39] {
            var marks = RecentMarks()
            #expect(!marks.update { $0.upperBound > end ? nil : Array(writer.file[$0]) })
        }
    }
}
