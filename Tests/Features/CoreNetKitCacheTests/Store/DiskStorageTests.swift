import CoreNetKitCache
import FileModel
import TestSupport

@Suite("The disk storage", .paced)
struct DiskStorageTests {
    let files = ModelFiles()

    func storage(limit: Int64 = 8 << 20, files: ModelFiles? = nil) -> DiskStorage {
        DiskStorage("/cache", limit: limit, files: files ?? self.files) { 0 }
    }

    func content(_ count: Int) -> Data { .numbered(count) }

    @Test("a stored response is visible at once, and to the next run", arguments: [0, 1, 65_536, 65_537, 300_000])
    func roundTrip(count: Int) async {
        let first = storage()
        #expect(await first.write(content(count), key(1)))
        if count <= CacheVariant.inlineLimit { #expect(await first.bytes(key(1)) == content(count)) }
        await first.flush()
        #expect(await first.bytes(key(1)) == content(count))
        #expect(await storage(files: files.afterKill()).bytes(key(1)) == content(count))
    }

    @Test("after writing, the lock is free for other processes")
    func unlocked() async throws {
        let storage = storage()
        await storage.store(content(10), key(1))
        let lock = try files.open("/cache/v2/lock", .update)
        #expect(try files.tryLock(lock))
        files.close(lock)
        await storage.flush()
    }

    @Test("a file of content that is not whole is not left open")
    func notWhole() async throws {
        let storage = storage()
        let long = content(CacheVariant.inlineLimit + 1)
        await storage.store(long, key(1))
        let stored = try #require(await storage.record(for: key(1))?.variants.first)
        let path = try #require(files.paths.first { (files.bytes(of: $0)?.count ?? 0) > long.count })
        files.change(path) { $0.removeLast() }
        await storage.flush()
        let open = files.openCount
        #expect(await storage.content(of: stored, for: key(1)) == nil)
        #expect(files.openCount == open)
    }

    @Test("heads are read as they were written")
    func heads() async throws {
        let headers = Headers([("ETag", "\"ü\""), ("X-Empty", ""), ("Set", "1"), ("set", "2")])
        let selecting = [SelectingField(name: "a", value: nil), SelectingField(name: "b", value: "")]
        let first = storage()
        var stored = variant(7, headers: headers, selecting: selecting)
        stored.groupGenerations = 7
        await first.put(stored, key(1, partition: "user"))
        let generations = try #require(await first.record(for: key(1, partition: "user"))).generations
        await first.flush()
        let record = try #require(await storage().record(for: key(1, partition: "user")))
        let found = try #require(record.variants.first)
        #expect(found.headers.map(\.value) == headers.map(\.value) && found.selectingFields == selecting)
        #expect(found.requestTime == variant(7).requestTime && found.id == stored.id && found.groupGenerations == 7)
        #expect(found.generations == generations && record.generations == generations)
    }

    @Test("bodies of replaced responses are removed")
    func replacedBodies() async {
        let storage = storage()
        for _ in 0..<3 { await storage.store(content(100_000), key(1)) }
        #expect(files.paths.filter { $0.contains("/common/") }.count == 2)
    }

    @Test("open content stays readable when its entry is replaced and removed")
    func openContent() async throws {
        let storage = storage()
        await storage.store(content(100_000), key(1))
        let stored = try #require(await storage.record(for: key(1))?.variants.first)
        let opened = try #require(await storage.content(of: stored, for: key(1)))
        await storage.removeAll(partition: nil)
        #expect(await opened.read(99_000..<100_000) == content(100_000).suffix(1_000))
        #expect(await !storage.has(key(1)))
    }

    @Test("a damaged byte anywhere in a record is a miss, and the file is removed", arguments: 0..<30)
    func damagedRecord(seed: Int) async throws {
        let first = storage()
        await first.store(variant(1, bytes: 50, headers: ["ETag": "\"a\""]), key(1))
        let path = try #require(files.paths.first { $0.contains("/common/") })
        var random = SplitMix64(seed: UInt64(seed))
        files.change(path) { bytes in
            if seed % 3 == 0 {
                bytes.removeLast(1 + Int(random.next() % UInt64(bytes.count - 1)))
            } else {
                bytes[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 + random.next() % 255)
            }
        }
        let second = storage()
        #expect(await !second.has(key(1)))
        #expect(second.counts.damaged == 1)
        #expect(!files.paths.contains(path))
    }

    @Test("a damaged or truncated body is a miss", arguments: [true, false])
    func damagedBody(isCut: Bool) async throws {
        let first = storage()
        await first.store(content(100_000), key(1))
        let path = try #require(files.paths.first { $0.contains(".") })
        files.change(path) { if isCut { $0.removeLast() } else { $0[70_000] ^= 1 } }
        #expect(await storage().bytes(key(1)) == nil)
        #expect(!files.paths.contains(path))
    }

    @Test("a record of another version, of another resource, or with wrong lengths is a miss")
    func foreignRecords() {
        var record = CacheRecord()
        record.put(variant(1))
        let bytes = RecordFormat.encode(record, key(1))
        #expect(RecordFormat.decode(bytes, key(1)) != nil)
        for other in [key(2), key(1, partition: "a")] { #expect(RecordFormat.decode(bytes, other) == nil) }
        for index in bytes.indices.dropLast(4) where index >= 9 {
            var lying = bytes
            lying[index] = 0xFF
            // With a correct checksum, so that the lengths are checked.
            let sum = CRC32C.checksum(lying.dropLast(4))
            for byte in 0..<4 { lying[lying.count - 4 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
            _ = RecordFormat.decode(lying, key(1))
        }
        var newer = bytes
        newer[8] = RecordFormat.version + 1
        #expect(RecordFormat.decode(newer, key(1)) == nil)
        #expect(RecordFormat.decode([], key(1)) == nil)
    }

    @Test("a writer stopped within any system call leaves the old record or the new one, whole")
    func stoppedWriter() async throws {
        let prepared = storage()
        await prepared.store(content(1_000), key(1))
        let before = files.afterKill()
        var stops = 0
        for call in 1...200 {
            let files = before.afterKill()
            files.stop(atCall: call)
            let storage = storage(files: files)
            _ = await storage.write(content(90_000), key(1))
            await storage.store(variant(9, bytes: 2_000), key(2))
            let isStopped = storage.counts.errors > 0
            stops += isStopped ? 1 : 0
            let after = self.storage(files: files.afterKill())
            let found = await after.bytes(key(1))
            #expect(found == nil || found == content(1_000) || found == content(90_000), "call \(call)")
            let other = await after.bytes(key(2))
            #expect(other == nil || other?.count == 2_000)
            #expect(after.counts.damaged == 0 || found == nil)
            if !isStopped { break }
        }
        #expect(stops > 5)
    }

    @Test("a loss of power at any call leaves a whole record or a miss", arguments: 0..<16)
    func powerLoss(seed: Int) async {
        var random = SplitMix64(seed: UInt64(seed))
        let storage = storage()
        _ = await storage.write(content(1_000), key(1))
        await storage.store(content(90_000), key(1))
        let after = files.afterPowerLoss { $0 = random.next() % 2 == 0 }
        let found = await self.storage(files: after).bytes(key(1))
        #expect(found == nil || found == content(1_000) || found == content(90_000))
    }

    @Test("short reads and writes are continued")
    func shortTransfers() async {
        files.limit(transfers: 37)
        let storage = storage()
        await storage.store(content(70_000), key(1))
        #expect(await self.storage().bytes(key(1)) == content(70_000))
    }

    @Test("a full disk is cleaned up without disturbing the call")
    func fullDisk() async {
        let storage = storage(limit: 400_000)
        for number in 0..<10 { await storage.put(variant(number, bytes: 20_000), key(number)) }
        await storage.flush()
        files.limit(capacity: 251_000)
        await storage.store(variant(1, bytes: 40_000), key(99))
        #expect(storage.counts.errors == 1 && storage.counts.evictions > 0)
        #expect(await storage.bytes(key(99))?.count == 40_000)
    }

    @Test("beyond the limit the least recently used entries are removed, down to nine tenths")
    func trims() async throws {
        for number in 0..<20 { await storage(limit: 1 << 30).store(variant(number, bytes: 10_000), key(number)) }
        let result = DiskFolder(root: "/cache", files: files).trim(limit: 100_000, now: 0)
        #expect(result.bytes <= 90_000 && result.entries == 20 - result.evictions)
        #expect(files.paths.filter { $0.contains("/common/") }.count == result.entries)
    }

    @Test("small files count as the disk blocks that they occupy")
    func blocks() async throws {
        let storage = storage(limit: 1 << 30)
        for number in 0..<600 { await storage.put(variant(number, bytes: 100), key(number)) }
        await storage.flush()
        let result = DiskFolder(root: "/cache", files: files).trim(limit: 1 << 20, now: 0)
        #expect(result.entries > 200 && result.entries * 4096 <= 1 << 20)
        #expect(result.bytes == Int64(result.entries) * 4096)
    }

    @Test("orphaned drafts and bodies are removed after an hour")
    func orphans() async throws {
        let storage = storage()
        let writer = try #require(await storage.writer(key(1)))
        _ = await writer.write(content(100_000))
        await storage.flush()
        let left = files.afterKill()
        let folder = DiskFolder(root: "/cache", files: left)
        let drafts = left.paths.filter { $0.contains(".t") }
        try #require(drafts.count == 1)
        let modified = try #require(try left.status(of: drafts[0])).modified
        _ = folder.trim(limit: .max, now: modified + 3_000)
        #expect(left.paths.contains(drafts[0]))
        _ = folder.trim(limit: .max, now: modified + 3_700)
        #expect(!left.paths.contains(drafts[0]))
        await writer.discard()
    }

    @Test("nothing is kept with a limit of zero")
    func limitOfZero() async {
        let storage = storage(limit: 0)
        await storage.store(variant(1), key(1))
        #expect(await !storage.has(key(1)))
        #expect(files.paths.filter { $0.contains("/common/") }.isEmpty)
    }

    @Test("running writes do not refill an emptied partition")
    func emptied() async throws {
        let storage = storage()
        let user = key(1, partition: "user")
        let writer = try #require(await storage.writer(user))
        _ = await writer.write(content(100_000))
        await storage.put(variant(1), key(2, partition: "user"))
        await storage.put(variant(1), key(3))
        await storage.removeAll(partition: "user")
        #expect(await writer.commit() == .refused)
        await storage.flush()
        for key in [user, key(2, partition: "user")] { #expect(await !storage.has(key)) }
        #expect(await storage.has(key(3)))
    }
}
