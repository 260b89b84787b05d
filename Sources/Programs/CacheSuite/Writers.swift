import CoreNetKitCache
import CoreNetKitEssentials
import CoreNetKitHTTP

/// Writers and readers of one folder, for `.ci/proofs cache-crash`: in killed and in concurrent processes.
extension CacheSuite {
    private static let keys = 40

    /// Four concurrent writers and readers; ends with 1 if a read returned content that was never written.
    static func writeAndRead(_ folder: String, seconds: Int64) async -> Int32 {
        let storage = disk(folder, limit: 8 << 20)
        let end = ContinuousClock.now + .seconds(seconds)
        let wrong = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var random = SystemRandomNumberGenerator()
                    var wrong = 0
                    repeat {
                        let key = key(Int.random(in: 0..<keys, using: &random))
                        let length = Bool.random(using: &random) ? 3_000 : 90_000
                        let body = body(seed: random.next(), length: length + worker)
                        // Invalidations are seen by every process.
                        if await put(body, key, storage, chunkSize: 16_384), body.count % 64 == 0 {
                            _ = await storage.apply(.invalidate(CacheInvalidation([key])))
                        }
                        if await !isWholeOrMissing(key, storage) { wrong += 1 }
                    } while ContinuousClock.now < end
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        await storage.flush()
        let counts = storage.counts
        print("wrong \(wrong), damaged \(counts.damaged), errors \(counts.errors) \(counts.problem ?? "")")
        return wrong == 0 && counts.damaged == 0 && counts.errors == 0 ? 0 : 1
    }

    /// Reads every key: each is complete or missing.
    static func verifyWritten(_ folder: String) async -> Int32 {
        let storage = disk(folder, limit: 8 << 20)
        var found = 0
        for number in 0..<keys {
            guard await isWholeOrMissing(key(number), storage) else {
                print("key \(number) is a mixture")
                return 1
            }
            if await storage.record(for: key(number))?.variants.isEmpty == false { found += 1 }
        }
        print("\(found) of \(keys) are there, \(storage.counts.damaged) were damaged")
        return 0
    }

    private static func isWholeOrMissing(_ key: CacheKey, _ storage: DiskStorage) async -> Bool {
        guard let variant = await storage.record(for: key)?.variants.last,
            let content = await storage.content(of: variant, for: key),
            let data = await content.read(0..<content.length)
        else { return true }
        guard data.count >= 8 else { return false }
        let seed = data.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return data == body(seed: seed, length: data.count)
    }

    /// Bytes determined by their first eight.
    private static func body(seed: UInt64, length: Int) -> Data {
        var bytes = (0..<8).map { UInt8(truncatingIfNeeded: seed >> (56 - 8 * UInt64($0))) }
        bytes.reserveCapacity(length)
        var state = seed | 1
        while bytes.count < length {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            bytes.append(UInt8(truncatingIfNeeded: state >> 56))
        }
        return Data(bytes)
    }
}
