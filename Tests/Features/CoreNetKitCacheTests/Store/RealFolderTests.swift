import CoreNetKitCache
import TestSupport

@Suite("The disk storage in a real folder", .paced)
struct RealFolderTests {
    let folder = TestFolder()

    func storage(_ path: String? = nil) -> DiskStorage {
        // The system's time: age is told by file dates, and a draft that is an hour old is orphaned.
        DiskStorage(path ?? folder.path, limit: 8 << 20) { Int64(time(nil)) }
    }

    @Test("is readable only by its owner")
    func permissions() async throws {
        let storage = storage()
        await storage.store(Data(count: 100_000), key(1))
        let files = PosixFiles()
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let status = try #require(try files.status(of: "\(folder.path)/\(path)"))
            #expect(status.permissions == (status.kind == .folder ? 0o700 : 0o600), "\(path)")
        }
    }

    @Test("a folder that is a link or open to others is not used, and nothing fails")
    func foreignFolder() async throws {
        let files = PosixFiles()
        let (link, real, open) = ("\(folder.path)/link", "\(folder.path)/real", "\(folder.path)/open")
        for path in [folder.path, real, open] { try files.makeFolder(path) }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open)
        for path in [link, open, "\(folder.path)/missing/deep"] { await expectUnused(path) }
        #expect(try files.list(real).isEmpty)
    }

    private func expectUnused(_ path: String) async {
        let storage = storage(path)
        await storage.store(variant(1), key(1))
        #expect(await !storage.has(key(1)))
        #expect(storage.counts.errors == 1 && storage.counts.problem != nil)
    }

    @Test("another user's folder is not used", .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func foreignOwner() async throws {
        let files = PosixFiles()
        try files.makeFolder(folder.path)
        try FileManager.default.setAttributes([.ownerAccountID: 1], ofItemAtPath: folder.path)
        await expectUnused(folder.path)
        #expect(try files.list(folder.path).isEmpty)
    }

    @Test("a folder removed during use is created again")
    func removedFolder() async throws {
        let storage = storage()
        await storage.store(variant(1), key(1))
        // At once: file by file, something new could appear in the folder meanwhile.
        let gone = folder.path + "-gone"
        defer { try? FileManager.default.removeItem(atPath: gone) }
        try FileManager.default.moveItem(atPath: folder.path, toPath: gone)
        await storage.store(variant(2), key(2))
        #expect(await storage.has(key(2)))
        #expect(await !storage.has(key(1)))
    }

    @Test("two storages on one folder lose no invalidation and never mix responses")
    func twoStorages() async throws {
        let storages = [storage(), storage()]
        try await concurrently(8) { worker in
            let storage = storages[worker % 2]
            for round in 0..<25 {
                let target = key(round % 5)
                await storage.put(variant(worker * 100 + round, bytes: 500 + worker), target)
                if let bytes = await storage.bytes(target) {
                    let number = Int(String(decoding: bytes.prefix { $0 != 0x20 }, as: UTF8.self)) ?? -1
                    #expect(bytes == variant(number, bytes: bytes.count).content.data)
                }
            }
        }
        for storage in storages { await storage.flush() }
        async let first = storages[0].apply(.invalidate(CacheInvalidation([key(1)])))
        async let second = storages[1].put(variant(5_000), key(1))
        _ = await (first, second)
        for storage in storages { await storage.flush() }
        let generations = try #require(await storages[0].record(for: key(1))).generations
        for storage in storages { #expect(await storage.record(for: key(1))?.generations == generations) }
        #expect(
            await storages[1].record(for: key(2))?.variants.allSatisfy { $0.generations.url != generations.url } == true
        )
        for counts in storages.map(\.counts) { #expect(counts.damaged == 0 && counts.errors == 0, "\(counts)") }
    }
}

extension CacheVariant.Content {
    var data: Data? { if case .inline(let data) = self { data } else { nil } }
}

@Suite("A disk with many concurrent users", .timeLimit(.minutes(10)), .paced)
struct BurstTests {
    private func shop(bytes: Int) -> Shop {
        Shop(disk: .mebibytes(64), memory: .mebibytes(8)) { request, _ in
            let body = ResponseBody.bytes(Data(repeating: 7, count: bytes))
            return TransportResponse(status: 200, headers: fresh, body: body, url: request.url)
        }
    }

    @Test("concurrent misses are all stored", arguments: [(200, 30_000), (100, 60_000), (300, 2_000)])
    func burst(count: Int, bytes: Int) async throws {
        let shop = shop(bytes: bytes)
        for _ in 0..<2 {
            try await concurrently(count) { number in _ = try? await shop.data("\(number)") }
            await shop.cache.flush()
        }
        #expect(shop.origin.count == count)
        #expect(shop.cache.counts.stored == count)
    }

    @Test("of concurrent misses and reloads of one URL one body remains")
    func oneBody() async throws {
        let shop = shop(bytes: 300_000)
        try await concurrently(40) { _ in _ = try? await shop.data() }
        #expect(try await shop.files().count == 2)
        for _ in 0..<20 { _ = try await shop.data { $0.cache(.reload) } }
        #expect(try await shop.files().count == 2)
    }

    @Test("a stream that is faster than the disk is stored, and only its end says so")
    func fastStream() async throws {
        let length = Int64(6 << 20)
        let shop = Shop(disk: .mebibytes(256)) { request, _ in
            let stream = Zeros(length: length, longest: Locked(0)).stream(0..<length)
            return TransportResponse(status: 200, headers: fresh, body: .stream(stream), url: request.url)
        }
        for pass in 0..<2 {
            var count = 0
            for try await chunk in try await shop.builder().loadStream().process() as ResponseStream {
                #expect(pass > 0 || count > 0 || shop.cache.counts.stored == 0)
                count += chunk.count
            }
            #expect(count == length)
            await shop.cache.flush()
        }
        #expect(shop.origin.count == 1 && shop.cache.counts.stored == 1)
    }

    @Test("a damaged byte in a body is never returned, even if the body was used in this run")
    func damagedLater() async throws {
        let shop = shop(bytes: 300_000)
        _ = try await shop.data()
        // Content of this length is visible once it is on disk.
        await shop.cache.flush()
        #expect(try await shop.data().count == 300_000)
        let name = try #require(try await shop.files().first { $0.contains(".") })
        let path = "\(shop.folder.path)/\(name)"
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[200_000] ^= 1
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.write(contentsOf: bytes)
        try handle.close()
        #expect(try await shop.data() == Data(repeating: 7, count: 300_000))
        #expect(shop.origin.count == 2)
    }

    @Test("a folder that cannot be used leaves the memory in front of it, and says so")
    func unusableFolder() async throws {
        let shop = Shop(disk: .mebibytes(64), below: "/missing/deep", Origin.numbered(fresh))
        for _ in 0..<3 { #expect(try await shop.text() == "1") }
        #expect(await shop.cache.storageCounts.problem != nil)
        shop.time.advance(30)
        #expect(try await shop.text() == "1")
        try await shop.post()
        #expect(try await shop.text() == "3")
    }
}
