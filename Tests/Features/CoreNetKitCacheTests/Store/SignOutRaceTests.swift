import CoreNetKitCache
import CoreNetKitHTTP
import CoreNetKitSystem
import FileModel
import TestPace
import Testing

import CoreNetKitEssentials

@Suite("Responses removed at sign-out stay removed", .timeLimit(.minutes(10)), .paced)
struct SignOutRaceTests {
    private static func put(_ storage: any CacheStorage, _ key: CacheKey) async {
        let writer = await storage.writer(key, length: 4)
        _ = await writer?.write(Data("body".utf8))
        _ = await writer?.commit()
    }

    /// Removes a user's records amid other work on them, and returns which were there afterwards.
    private static func leftovers(
        of storage: any CacheStorage,
        rounds: Int = TestRounds.count(30),
        beside: @escaping @Sendable (CacheKey) async -> Void
    ) async -> [Int] {
        var random = SplitMix64(seed: 22)
        var left: [Int] = []
        for round in 0..<rounds {
            let key = key(round, partition: "ann")
            await put(storage, key)
            await storage.flush()
            let count = Int.random(in: 2...6, using: &random)
            let pauses = (0...count).map { _ in Int.random(in: 0...3, using: &random) }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    group.addTask {
                        for _ in 0..<pauses[number] { await Task.yield() }
                        await beside(key)
                    }
                }
                for _ in 0..<pauses[count] { await Task.yield() }
                await storage.removeAll(partition: "ann")
            }
            if await storage.has(key) { left.append(round) }
        }
        return left
    }

    @Test("an earlier reader does not bring them back from the disk")
    func readers() async {
        let disk = DiskStorage("/cache", limit: 8 << 20, files: ModelFiles()) { 0 }
        let storage = TieredStorage(front: MemoryStorage(limit: 1 << 20), behind: disk)
        #expect(await Self.leftovers(of: storage) { key in _ = await storage.record(for: key) } == [])
    }

    @Test("an earlier writer does not store them again", arguments: ["memory", "disk", "both"])
    func writers(kind: String) async {
        let disk = DiskStorage("/cache", limit: 8 << 20, files: ModelFiles()) { 0 }
        let storage: any CacheStorage =
            switch kind {
            case "memory": MemoryStorage(limit: 1 << 20)
            case "disk": disk
            default: TieredStorage(front: MemoryStorage(limit: 1 << 20), behind: disk)
            }
        // Opened before the removal begins, and ended at any time.
        var random = SplitMix64(seed: 5)
        var left: [Int] = []
        for round in 0..<120 {
            let key = key(round, partition: "ann")
            var writers: [any CacheWriter] = []
            for _ in 0..<4 {
                guard let writer = await storage.writer(key, length: 4, variant(round)) else { continue }
                _ = await writer.write(Data("body".utf8))
                writers.append(writer)
            }
            let pause = Int.random(in: 0...3, using: &random)
            await withTaskGroup(of: Void.self) { group in
                for writer in writers {
                    group.addTask { _ = await writer.commit() }
                }
                for _ in 0..<pause { await Task.yield() }
                await storage.removeAll(partition: "ann")
            }
            await storage.flush()
            if await storage.has(key) { left.append(round) }
        }
        #expect(left == [])
    }
}
