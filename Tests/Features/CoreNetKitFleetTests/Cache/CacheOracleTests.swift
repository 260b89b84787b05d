import CoreNetKitCache
import CoreNetKitFleet
import TestSupport

/// `TEST_ROUNDS=10000 swift test --filter CacheOracleTests` is what the closing note of a change says.
@Suite("Shared responses, compared with an oracle", .timeLimit(.minutes(10)), .paced)
struct CacheOracleTests {
    private static let looks = TestRounds.count(200)

    @Test("after a reported change no look-up returns what was stored before it")
    func local() async throws {
        let store = LocalStore()
        let processes = (0..<4).map { _ in
            let behind = SharedCacheStorage(in: store, named: "test", sealing: .plain)
            // Copies last for ever: only what is heard makes them old.
            let front = MemoryStorage(limit: 1 << 20)
            return (behind: behind, tiers: TieredStorage(front: front, behind: behind, copiesFor: .seconds(86_400)))
        }
        var random = SplitMix64(seed: TestRounds.seed(7))
        let keys = try (0..<5).map { CacheKey(url: try #require(URL(string: "http://cache.test/\($0)"))) }
        /// The oracle: how often each resource was changed.
        var changes = [Int](repeating: 0, count: keys.count)
        var (stale, found) = (0, 0)
        var ways: [Duration] = []
        for process in processes {
            for key in keys {
                while process.behind.generations(of: key) == nil { _ = await process.tiers.record(for: key) }
            }
        }
        for _ in 0..<Self.looks {
            let place = Int.random(in: keys.indices, using: &random)
            let key = keys[place]
            let process = try #require(processes.randomElement(using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                // Who has what in memory, and hears of the change in its own time.
                let before = processes.map { $0.behind.generations(of: key) }
                guard await process.tiers.apply(.invalidate(CacheInvalidation([key]))) == .written else {
                    Issue.record("a mark was not written")
                    return
                }
                let start = ContinuousClock.now
                for (other, generations) in zip(processes, before) {
                    await until { other.behind.generations(of: key) != generations }
                }
                ways.append(ContinuousClock.now - start)
                changes[place] += 1
            case 1...3:
                guard let record = await process.tiers.record(for: key) else { continue }
                let variant = variant("\(changes[place])", record.generations)
                _ = await process.tiers.apply(.put(variant, key, keepFor: .seconds(60)))
            default:
                guard let record = await process.tiers.record(for: key) else { continue }
                for variant in record.variants where !record.isInvalidated(variant) {
                    guard case .inline(let data) = variant.content else { continue }
                    found += 1
                    if String(decoding: data, as: UTF8.self) != "\(changes[place])" { stale += 1 }
                }
            }
        }
        #expect(stale == 0)
        #expect(found > Self.looks / 10)
        ways.sort()
        let (half, most) = (ways[ways.count / 2], ways[ways.count * 99 / 100])
        print("cache: \(Self.looks) steps, \(found) found, \(stale) stale; heard of after p50 \(half), p99 \(most)")
    }

    private func variant(_ text: String, _ generations: CacheGenerations) -> CacheVariant {
        let time = CacheTime(
            wallMilliseconds: Date().milliseconds,
            monotonicMilliseconds: Int64.random(in: 1...1 << 40),
            bootID: 0
        )
        return CacheVariant(
            status: 200,
            headers: ["Cache-Control": "max-age=60"],
            selectingFields: [],
            requestTime: time,
            responseTime: time,
            isDecoded: false,
            generations: generations,
            content: .inline(Data(text.utf8))
        )
    }
}
