import CoreNetKit
import CoreNetKitCache
import CoreNetKitFleet
import CoreNetKitHTTP
import Foundation

/// What sharing costs, one call after the other: medians of rounds, in microseconds.
struct Measuring {
    let store: ValkeyStore

    func run() async throws {
        let client = Client(transport: Nowhere())
        let hand = RateLimiter(
            1_000_000,
            burst: 100_000,
            named: "hand",
            in: store,
            ifStoreUnavailable: .localShare(of: 1)
        )
        let plain = try await chainTime(client)
        let inHand = try await chainTime(client.rate(hand))
        print("a call: \(plain) µs; with a token in hand: \(inHand) µs more than that: \(inHand - plain)")
        let bucket = SharedBucket(SharedKey(kind: "rate", "measured"), tokens: 1_000_000, burst: 100_000)
        print("a token by script: \(try await time(2000) { _ = try await store.takeTokens(1, from: bucket) }) µs")
        let storage = SharedCacheStorage(in: store, named: "measured", sealing: .plain)
        let key = CacheKey(url: URL(string: "http://cache.test/") ?? URL(filePath: "/"))
        guard let record = await storage.record(for: key) else { return print("no store") }
        let now = CacheTime(wall: Int64(Date().timeIntervalSince1970 * 1000), steady: 1, run: 0)
        let variant = CacheVariant(
            status: 200,
            headers: ["Cache-Control": "max-age=60", "Content-Type": "application/json"],
            selecting: [],
            requested: now,
            received: now,
            isDecoded: false,
            counters: record.counters,
            content: .inline(Data(repeating: 7, count: 2048))
        )
        _ = await storage.apply(.put(variant, key, keepFor: .seconds(60)))
        print("a shared hit of 2 KB: \(try await time(2000) { _ = await storage.record(for: key) }) µs")
        let sealing = SealingKeys(try .random(id: "a"))
        let value = Data(repeating: 7, count: 2048)
        let sealed = try sealing.seal(value, at: Data())
        print("2 KB opened: \(try await time(2000) { _ = try sealing.open(sealed, keyID: "a", at: Data()) }) µs")
    }

    private func chainTime(_ client: Client) async throws -> Double {
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client).route(.get, "http://localhost").build()
        return try await time(5000) { try await chain.process() }
    }

    private func time(_ count: Int, _ work: () async throws -> Void) async throws -> Double {
        var rounds: [Double] = []
        for _ in 0..<9 {
            let start = ContinuousClock.now
            for _ in 0..<count { try await work() }
            rounds.append((ContinuousClock.now - start) / .microseconds(1) / Double(count))
        }
        return (rounds.sorted()[4] * 100).rounded() / 100
    }
}
