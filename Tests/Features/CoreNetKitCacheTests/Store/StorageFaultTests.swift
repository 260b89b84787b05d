import CoreNetKitCache
import FileModel
import TestSupport

@Suite("A failing storage", .timeLimit(.minutes(10)), .paced)
struct StorageFaultTests {
    private let storage = Faulty()
    private let files = ModelFiles()

    @Test("a hanging one makes every call a miss, and no call waits for it twice in a row")
    func hanging() async throws {
        storage.fault { $0.hangs = true }
        let origin = Origin(Origin.numbered(fresh))
        let cache = ResponseCache(storage: storage, timeout: .milliseconds(30))
        let client = Client(transport: origin).cache(cache)
        for number in 1...3 { #expect(try await text(client) == "\(number)") }
        #expect(cache.counts.stored == 0)
        storage.fault { $0.hangs = false }
        // Real time: the storage is left alone for as long as it was waited for.
        while try await text(client) != "\(origin.count - 1)", cache.counts.hits == 0 {}
        #expect(cache.counts.hits == 1)
    }

    @Test("an invalidation that could not be written bypasses its URL, and no other, until it is written")
    func unwrittenMark() async throws {
        let setting = Setting(storage: storage, Origin.numbered(fresh))
        let other = page.appending(path: "other")
        #expect(try await setting.text() == "1")
        #expect(try await setting.text(get([:], other)) == "2")
        storage.fault { $0.refusesMarks = true }
        try await setting.send(TransportRequest(method: .put, url: page))
        for number in 4...5 { #expect(try await setting.text() == "\(number)") }
        #expect(setting.outcome?.isStored == false)
        #expect(try await setting.text(get([:], other)) == "2")
        storage.fault { $0.refusesMarks = false }
        for _ in 0..<2 { #expect(try await setting.text() == "6") }
    }

    @Test("a group's unwritten invalidation makes its responses subject to validation until it is written")
    func unwrittenGroup() async throws {
        let setting = Setting(storage: storage, Origin.numbered(control("max-age=60", ["Cache-Groups": "\"g\""])))
        #expect(try await setting.text() == "1")
        storage.fault { $0.refusesMarks = true }
        await setting.engine.invalidate(group: "g", of: page)
        for number in 2...3 { #expect(try await setting.text() == "\(number)") }
        storage.fault { $0.refusesMarks = false }
        for _ in 0..<2 { #expect(try await setting.text() == "4") }
    }

    @Test("a failed removal is repeated before anything of the partition is used again")
    func failedRemoval() async throws {
        let setting = Setting(storage: storage, Origin.numbered(fresh))
        #expect(try await setting.text(partition: "ann") == "1")
        #expect(try await setting.text(partition: "ben") == "2")
        storage.fault { $0.refusesRemovals = true }
        await setting.engine.vault.removeAll(partition: "ann")
        for number in 3...4 { #expect(try await setting.text(partition: "ann") == "\(number)") }
        #expect(try await setting.text(partition: "ben") == "2")
        storage.fault { $0.refusesRemovals = false }
        for _ in 0..<2 { #expect(try await setting.text(partition: "ann") == "5") }
    }

    @Test("content of any length is copied into a file in pieces")
    func pieces() async throws {
        let longest = Locked(0)
        storage.fault { $0.content = Zeros(length: 5 << 20, longest: longest) }
        let setting = Setting(storage: storage) { _, _ in reply(200, fresh) }
        try await setting.send()
        let folder = TestFolder()
        try PosixFiles().makeFolder(folder.path)
        let place = URL(filePath: "\(folder.path)/copy")
        let request = get(delivery: .file(place))
        try await setting.send(request)
        #expect(setting.origin.count == 1)
        #expect(try Data(contentsOf: place).count == 5 << 20)
        #expect(longest.withLock { $0 } <= 1 << 20)
        #expect(try PosixFiles().list(folder.path) == ["copy"])
        storage.fault { $0.content = Zeros(length: 5 << 20, longest: longest, end: 2 << 20) }
        try await setting.send(request)
        #expect(setting.origin.count == 2, "what cannot be read to its end is fetched")
    }

    @Test("a disk filled by other programs loses little, however many writes fail")
    func filledByOthers() async {
        let storage = disk(files)
        for number in 0..<40 { await storage.put(variant(number, bytes: 20_000), key(number)) }
        await storage.flush()
        files.fail { operation, path in operation == .write && path.contains("/common/") ? ENOSPC : nil }
        for number in 100..<150 { await storage.store(variant(number, bytes: 20_000), key(number)) }
        files.fail { _, _ in nil }
        var left = 0
        for number in 0..<40 where await storage.has(key(number)) { left += 1 }
        #expect(left >= 30)
    }

    @Test("records of an older version are left alone until an invalidation or a removal names them")
    func olderVersion() async throws {
        let folder = DiskFolder(root: "/cache", files: files)
        try folder.prepare()
        func old(_ key: CacheKey) throws -> String {
            // The first version's folder was the root itself.
            let path = "/cache" + folder.path(of: key).dropFirst(folder.base.utf8.count)
            try? files.makeFolder(path.folderPath.folderPath)
            try? files.makeFolder(path.folderPath)
            let file = try files.open(path, .create)
            try files.writeAll(file, Array("CNKcache\u{1}".utf8), at: 0)
            files.close(file)
            return path
        }
        let keys = [key(1), key(1, partition: "ann"), key(1, partition: "bob"), key(2), key(3, partition: "ann")]
        let paths = try keys.map { try old($0) }
        let storage = disk(files)
        for number in 1...2 {
            #expect(await !storage.has(key(number)))
            await storage.put(variant(number), key(number))
        }
        await storage.flush()
        #expect(paths.allSatisfy { files.paths.contains($0) })
        // Whoever invalidates a URL, nobody's record of it is used any more.
        _ = await storage.apply(.invalidate(CacheInvalidation([key(1, partition: "ann")])))
        #expect(paths.map { files.paths.contains($0) } == [false, false, false, true, true])
        await storage.removeAll(partition: "ann")
        #expect(paths.map { files.paths.contains($0) } == [false, false, false, true, false])
    }

    @Test("lost, truncated or changed generations make stored responses a miss, and nothing worse", arguments: 0..<4)
    func damagedGenerations(kind: Int) async throws {
        let first = disk(files)
        await first.store(variant(1), key(1))
        let path = "/cache/v2/counters"
        switch kind {
        case 0: try files.remove(path)
        case 1: files.change(path) { $0.removeLast(5_000) }
        case 2: files.change(path) { $0[0] ^= 1 }
        default: files.change(path) { $0 = [] }
        }
        let second = disk(files)
        // Its partition may have been emptied, as far as is known.
        #expect(await !second.has(key(1)))
        await second.store(variant(2), key(1))
        let record = try #require(await disk(files).record(for: key(1)))
        #expect(record.variants.count == 1 && !record.isInvalidated(record.variants[0]))
    }
}

/// Memory that fails on request, and knows nothing without waiting, like a storage behind a wire.
final class Faulty: CacheStorage {
    struct Faults: Sendable {
        /// For callers to wait for, while it hangs.
        fileprivate var end: Signal?
        var hangs: Bool {
            get { end != nil }
            set {
                if !newValue { end?.signal() }
                end = newValue ? end ?? Signal() : nil
            }
        }
        var refusesMarks = false
        var refusesRemovals = false
        var content: Zeros?
    }

    private let storage = MemoryStorage(limit: 8 << 20)
    private let faults = Locked(Faults())

    func fault(_ change: (inout Faults) -> Void) { faults.withLock { change(&$0) } }

    private var now: Faults { faults.withLock { $0 } }

    private func hang() async { await now.end?.wait() }

    func record(for key: CacheKey) async -> CacheRecord? {
        await hang()
        guard var record = await storage.record(for: key) else { return nil }
        if let content = now.content {
            record.variants = record.variants.map { $0.withContent(.stored(name: "", length: content.length)) }
        }
        return record
    }

    func apply(_ edit: CacheEdit) async -> CacheEdit.Result {
        await hang()
        if case .invalidate = edit, now.refusesMarks { return .failed }
        return await storage.apply(edit)
    }

    func generations(at slots: [Int]) async -> [UInt64]? { await storage.generations(at: slots) }
    func removeAll(partition: String?) async -> Bool {
        await hang()
        return now.refusesRemovals ? false : await storage.removeAll(partition: partition)
    }

    func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)? {
        if let content = now.content { return content }
        return await storage.content(of: variant, for: key)
    }
}

/// Nothing but zeros, and how many were asked for at once.
struct Zeros: CacheContent {
    let length: Int64
    let longest: Locked<Int>
    var end = Int64.max

    func read(_ range: Range<Int64>) async -> Data? {
        longest.withLock { $0 = max($0, range.count) }
        return range.upperBound <= end ? Data(count: range.count) : nil
    }
}

@Suite("A hanging storage and the deadline of a call", .timeLimit(.minutes(10)), .paced)
struct StorageDeadlineTests {
    /// When the storage begins to hang.
    enum Moment: CaseIterable {
        case lookUp, store, mark, clear
    }

    private let clock = ManualClock()
    private let storage = Faulty()
    private let place = URL(string: "https://shop.test/page") ?? page

    private func client(_ origin: Origin, timeout: Duration) -> Client {
        let cache = ResponseCache(storage: storage, timeout: timeout, clock: CallClock(clock))
        return Client(transport: origin, clock: CallClock(clock)).cache(cache)
    }

    @Test("the call has its response before its deadline, whatever hangs", arguments: Moment.allCases)
    func deadline(_ moment: Moment) async throws {
        let (storage, place) = (storage, place)
        storage.fault { $0.hangs = moment == .lookUp }
        defer { storage.fault { $0.hangs = false } }
        let origin = Origin { _, _ in
            storage.fault { $0.hangs = true }
            let headers: Headers = moment == .clear ? ["Clear-Site-Data": "\"cache\""] : fresh
            return reply(200, headers, "new")
        }
        let method: HTTPMethod = moment == .mark ? .put : .get
        let chain: Chain<Void, String> = UrlChainsBuilder<URL>(client: client(origin, timeout: .seconds(5)))
            .set(deadline: .seconds(2)).route(method, place).build()
        #expect(try await clock.passing { try await chain.process() as String } == "new")
        #expect(clock.now.offset < .seconds(2))
        #expect(origin.count == 1)
    }

    @Test("the storage is left alone for as long as a call has waited for it, and not for longer")
    func rest() async throws {
        let storage = storage
        let origin = Origin(Origin.numbered(fresh))
        let client = client(origin, timeout: .seconds(60))
        let (hurried, patient) = (client.set(deadline: .milliseconds(200)), client.set(deadline: nil))
        #expect(try await text(patient, place) == "1")
        storage.fault { $0.hangs = true }
        let second = try await clock.passing { try await text(hurried, place) }
        #expect(second == "2")
        let waited = clock.now.offset
        storage.fault { $0.hangs = false }
        #expect(try await text(patient, place) == "3", "it is left alone")
        clock.advance(by: waited)
        #expect(try await text(patient, place) == "1", "it is asked again")
    }
}
