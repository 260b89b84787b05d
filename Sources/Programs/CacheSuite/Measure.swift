import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitHTTP

import CoreNetKitEssentials
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Loops to be counted and timed.
enum Measure {
    private struct Instant: Transport {
        var capabilities: TransportCapabilities { [] }

        func clientIdentity(for url: URL) -> String? { "" }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            TransportResponse(
                status: 200,
                headers: [
                    "Content-Type": "application/json", "Cache-Control": "max-age=3600", "ETag": "\"a\"",
                    "Content-Length": "300",
                ],
                body: .bytes(Data(repeating: 0x20, count: 300)),
                url: request.url
            )
        }
    }

    /// Responds at once in place of the cache: the cost of its calls is the rest of the chain of a hit.
    private struct Place: ChainPolicy {
        var positions: [ChainPosition] { [.cache] }
        var scope: PolicyScope { .none }

        func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
            Reply(body: Data(repeating: 0x20, count: 300))
        }
    }

    private struct Reply: Node {
        let body: Data

        var successors: [any Node] { [] }

        func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
            TransportResponse(status: 200, body: .bytes(body), url: input.url)
        }
    }

    /// Calls of a prebuilt chain, one after another: `none` without a cache, `off` with a disabled one,
    /// `place` with a response in its place, `hit` and `miss` from memory, `disk` hits.
    static func calls(_ kind: String, count: Int, folder: String) async throws {
        var client = Client(transport: Instant())
        if kind == "place" { client = client.with(Place()) }
        let cache: ResponseCache? =
            switch kind {
            case "hit", "miss", "off": ResponseCache()
            case "disk": ResponseCache(memory: .bytes(0), disk: .folder(URL(filePath: folder)))
            default: nil
            }
        let modes: [String: CacheMode] = ["miss": .reload, "off": .off]
        if let cache { client = client.cache(with: cache, modes[kind] ?? .standard) }
        let chain: Chain<Void, Data> = UrlChainsBuilder<String>(client: client).route(.get, "http://shop.test/a")
            .loadData()
        _ = try await chain.process() as Data
        await cache?.flush()
        let start = ContinuousClock.now
        for _ in 0..<count { _ = try await chain.process() as Data }
        let time = ContinuousClock.now - start
        print("\(kind): \(count) calls, \(time / count) each, hits \(cache?.counts.hits ?? 0)")
    }

    /// Megabytes per second into a folder, in entries of one size.
    static func store(_ folder: String, bytes: Int) async {
        let storage = DiskStorage(folder, limit: 1 << 30) { Int64(time(nil)) }
        let count = min(2_000, (128 << 20) / bytes)
        let data = Data(repeating: 7, count: bytes)
        let start = ContinuousClock.now
        for number in 0..<count {
            await put(data, number, storage)
            if number % 8 == 7 { await storage.flush() }
        }
        await storage.flush()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("store: \(count) entries of \(bytes) bytes, \(Int(Double(count * bytes) / 1e6 / seconds)) MB/s")
    }

    /// The first response from a folder with `entries` entries.
    static func first(_ folder: String, entries: Int) async {
        var storage = DiskStorage(folder, limit: 8 << 30) { Int64(time(nil)) }
        for number in 0..<entries {
            await put(Data(repeating: 7, count: 300), number, storage)
            if number % 500 == 0 { await storage.flush() }
        }
        await storage.flush()
        storage = DiskStorage(folder, limit: 8 << 30) { Int64(time(nil)) }
        let start = ContinuousClock.now
        let isFound = await storage.record(for: key(entries / 2))?.variants.isEmpty == false
        print("first: \(ContinuousClock.now - start) among \(entries) entries, found \(isFound)")
    }

    /// Resident bytes per entry in memory.
    static func memory(entries: Int) async {
        let storage = MemoryStorage(limit: 1 << 40)
        let before = resident()
        for number in 0..<entries { await put(Data(repeating: 7, count: 300), number, storage) }
        print("memory: \((resident() - before) / entries) resident bytes for an entry of 300 bytes")
        _ = storage.counts
    }

    private static func resident() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }

    private static func key(_ number: Int) -> CacheKey {
        CacheKey(url: URL(string: "http://shop.test/\(number)") ?? URL(filePath: "/"))
    }

    private static func put(_ data: Data, _ number: Int, _ storage: any CacheStorage) async {
        let key = key(number)
        let time = CacheTime(wall: Int64(time(nil)) * 1000, steady: 0, run: 1)
        guard let counters = await storage.record(for: key)?.counters else { return }
        let variant = CacheVariant(
            status: 200,
            headers: ["Cache-Control": "max-age=60", "Content-Type": "text/plain", "ETag": "\"a\""],
            selecting: [],
            requested: time,
            received: time,
            isDecoded: false,
            counters: counters,
            content: .inline(data)
        )
        if data.count <= CacheVariant.inlineLimit {
            _ = await storage.apply(.put(variant, key, keepFor: .seconds(60)))
            return
        }
        let length = Int64(data.count)
        guard let writer = await storage.writer(of: variant, for: key, length: length, keepFor: .seconds(60)),
            await writer.write(data)
        else { return }
        _ = await writer.commit()
    }
}
