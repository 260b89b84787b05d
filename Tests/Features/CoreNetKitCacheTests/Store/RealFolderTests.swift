import CoreNetKitCache
import CoreNetKitHTTP
import CoreNetKitSystem
import TestPace
import Testing

import CoreNetKitEssentials
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A folder that is removed with the test.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        let name = "cache-\(UInt64.random(in: .min ... .max))"
        path = FileManager.default.temporaryDirectory.appending(path: name).path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite("The disk storage in a real folder", .paced)
struct RealFolderTests {
    let folder: TestFolder
    init() throws { folder = try TestFolder() }

    func storage(_ path: String? = nil) -> DiskStorage {
        // The system's time: age is told by file dates, and a draft that is an hour old is orphaned.
        DiskStorage(path ?? folder.path, limit: 8 << 20) { Int64(time(nil)) }
    }

    @Test("is readable only by its owner")
    func permissions() async throws {
        let storage = storage()
        _ = await storage.write(Data(count: 100_000), key(1))
        await storage.flush()
        let files = PosixFiles()
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let status = try #require(try files.status(of: "\(folder.path)/\(path)"))
            #expect(status.permissions == (status.kind == .folder ? 0o700 : 0o600), "\(path)")
        }
    }

    @Test("a folder that is a link or open to others is not used, and nothing fails")
    func foreignFolder() async throws {
        let files = PosixFiles()
        try files.makeFolder(folder.path)
        let link = "\(folder.path)/link"
        let real = "\(folder.path)/real"
        try files.makeFolder(real)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
        let open = "\(folder.path)/open"
        try files.makeFolder(open)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open)
        for path in [link, open, "\(folder.path)/missing/deep"] {
            let storage = storage(path)
            await storage.put(variant(1), key(1))
            await storage.flush()
            #expect(await !storage.has(key(1)))
            #expect(storage.counts.errors == 1)
            #expect(storage.counts.problem != nil)
        }
        #expect(try files.list(real).isEmpty)
    }

    @Test("another user's folder is not used", .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func foreignOwner() async throws {
        let files = PosixFiles()
        try files.makeFolder(folder.path)
        try FileManager.default.setAttributes([.ownerAccountID: 1], ofItemAtPath: folder.path)
        let storage = storage()
        await storage.put(variant(1), key(1))
        await storage.flush()
        #expect(await !storage.has(key(1)))
        #expect(storage.counts.errors == 1 && storage.counts.problem != nil)
        #expect(try files.list(folder.path).isEmpty)
    }

    @Test("a folder removed during use is created again")
    func removedFolder() async throws {
        let storage = storage()
        await storage.put(variant(1), key(1))
        await storage.flush()
        // At once: file by file, something new could appear in the folder meanwhile.
        let gone = folder.path + "-gone"
        defer { try? FileManager.default.removeItem(atPath: gone) }
        try FileManager.default.moveItem(atPath: folder.path, toPath: gone)
        await storage.put(variant(2), key(2))
        await storage.flush()
        #expect(await storage.has(key(2)))
        #expect(await !storage.has(key(1)))
    }

    @Test("two storages on one folder lose no invalidation and never mix responses")
    func twoStorages() async throws {
        let storages = [storage(), storage()]
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
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
            }
        }
        for storage in storages { await storage.flush() }
        async let first = storages[0].apply(.mark(CacheMark([key(1)])))
        async let second = storages[1].put(variant(5_000), key(1))
        _ = await (first, second)
        for storage in storages { await storage.flush() }
        let counters = try #require(await storages[0].record(for: key(1))).counters
        for storage in storages { #expect(await storage.record(for: key(1))?.counters == counters) }
        #expect(await storages[1].record(for: key(2))?.variants.allSatisfy { $0.counters.url != counters.url } == true)
        for counts in storages.map(\.counts) { #expect(counts.damaged == 0 && counts.errors == 0, "\(counts)") }
    }
}

extension CacheVariant.Content {
    var data: Data? { if case .inline(let data) = self { data } else { nil } }
}
