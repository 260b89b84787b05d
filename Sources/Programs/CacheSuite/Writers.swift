import CoreNetKitCache
import CoreNetKitHTTP

import CoreNetKitEssentials
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Writers and readers of one folder, for `.ci/proofs cache-crash`: in killed and in concurrent processes.
enum Writers {
    private static let keys = 40

    /// Four concurrent writers and readers; ends with 1 if a read returned content that was never written.
    static func run(_ folder: String, seconds: Int64) async -> Int32 {
        let storage = DiskStorage(folder, limit: 8 << 20) { Int64(time(nil)) }
        let end = ContinuousClock.now + .seconds(seconds)
        let wrong = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var random = SystemRandomNumberGenerator()
                    var wrong = 0
                    repeat {
                        let key = key(Int.random(in: 0..<keys, using: &random))
                        let length = Bool.random(using: &random) ? 3_000 : 90_000
                        await write(body(seed: random.next(), length: length + worker), key, storage)
                        if await !isWhole(key, storage) { wrong += 1 }
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
    static func verify(_ folder: String) async -> Int32 {
        let storage = DiskStorage(folder, limit: 8 << 20) { Int64(time(nil)) }
        var found = 0
        for number in 0..<keys {
            guard await isWhole(key(number), storage) else {
                print("key \(number) is a mixture")
                return 1
            }
            if await storage.record(for: key(number))?.variants.isEmpty == false { found += 1 }
        }
        print("\(found) of \(keys) are there, \(storage.counts.damaged) were damaged")
        return 0
    }

    private static func key(_ number: Int) -> CacheKey {
        CacheKey(url: URL(string: "http://shop.test/\(number)") ?? URL(filePath: "/"))
    }

    private static func write(_ body: Data, _ key: CacheKey, _ storage: DiskStorage) async {
        guard let counters = await storage.record(for: key)?.counters else { return }
        let time = CacheTime(wall: Int64(time(nil)) * 1000, steady: 0, run: UInt64(getpid()))
        let variant = CacheVariant(
            status: 200,
            headers: ["Cache-Control": "max-age=60"],
            selecting: [],
            requested: time,
            received: time,
            isDecoded: false,
            counters: counters,
            content: .inline(Data())
        )
        let length = Int64(body.count)
        guard let writer = await storage.writer(of: variant, for: key, length: length, keepFor: .seconds(60)) else {
            return
        }
        var rest = body[...]
        while !rest.isEmpty {
            guard await writer.write(Data(rest.prefix(16_384))) else { return }
            rest = rest.dropFirst(16_384)
        }
        _ = await writer.commit()
        // Marks are seen by every process.
        if body.count % 64 == 0 { _ = await storage.apply(.mark(CacheMark([key]))) }
    }

    private static func isWhole(_ key: CacheKey, _ storage: DiskStorage) async -> Bool {
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
