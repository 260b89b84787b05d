import CoreNetKitCache
import CoreNetKitCacheConformance
import TestSupport

@testable import OwnCacheStorage

@Suite("The rules of storages", .timeLimit(.minutes(10)), .paced)
struct ConformanceTests {
    static let kinds: [String: @Sendable () -> any CacheStorage] = [
        "memory": { MemoryStorage(limit: 8 << 20) },
        "disk": { disk() },
        "memory before a disk": { TieredStorage(front: MemoryStorage(limit: 4 << 20), behind: disk()) },
        "memory before a storage that must be asked": {
            TieredStorage(front: MemoryStorage(limit: 4 << 20), behind: Faulty())
        },
        "memory before a disk that cannot be used": {
            TieredStorage(front: MemoryStorage(limit: 4 << 20), behind: disk(at: "/missing/cache"))
        },
        "one of twenty lines": { Shelf() },
    ]

    @Test("are followed by every storage here", arguments: kinds.keys.sorted())
    func all(kind: String) async throws {
        let make = try #require(Self.kinds[kind])
        let findings = await CacheStorageConformance.check { make() }
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("detect violations", arguments: Broken.Fault.allCases)
    func broken(fault: Broken.Fault) async {
        let findings = await CacheStorageConformance.check { Broken(MemoryStorage(limit: 8 << 20), fault) }
        #expect(findings.map(\.rule).contains(fault.rawValue), "\(findings)")
    }
}

/// A storage with one fault.
struct Broken: CacheStorage {
    /// Each with the rule that it breaks.
    enum Fault: String, CaseIterable, Sendable {
        case noMarks = "mark.url"
        case lateStores = "partition.late"
        case allMarks = "mark.others"
        case forgets = "record.whole"
        case oldReplaces = "put.order"
    }

    private let storage: MemoryStorage
    private let fault: Fault

    init(_ storage: MemoryStorage, _ fault: Fault) { (self.storage, self.fault) = (storage, fault) }

    func record(for key: CacheKey) async -> CacheRecord? { await storage.record(for: key) }

    func apply(_ edit: CacheEdit) async -> CacheEdit.Result {
        switch edit {
        case .invalidate where fault == .noMarks: return .written
        case .invalidate(let invalidation) where fault == .allMarks && !invalidation.resources.isEmpty:
            let all = (0..<40).compactMap { URL(string: "http://storage.test/\($0)") }.map { CacheKey(url: $0) }
            return await storage.apply(.invalidate(CacheInvalidation(all)))
        case .put(var variant, let key, let time):
            if fault == .forgets { return .written }
            if fault == .lateStores, let now = storage.generations(of: key) { variant.generations = now }
            if fault == .oldReplaces {
                for old in await storage.record(for: key)?.variants ?? [] {
                    _ = await storage.apply(.remove(old.id, key))
                }
            }
            return await storage.apply(.put(variant, key, keepFor: time))
        default: return await storage.apply(edit)
        }
    }

    func generations(at slots: [Int]) async -> [UInt64]? { await storage.generations(at: slots) }
    func removeAll(partition: String?) async -> Bool { await storage.removeAll(partition: partition) }
}
