import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem
import ProgramArguments

/// Loops to be counted and timed.
extension CacheSuite {
    private struct ImmediateTransport: Transport {
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
    private struct CacheStandIn: ChainPolicy, Node {
        private let body = Data(repeating: 0x20, count: 300)

        var positions: [ChainPosition] { [.cache] }
        var scope: PolicyScope { .none }
        var successors: [any Node] { [] }

        func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { self }

        func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
            TransportResponse(status: 200, body: .bytes(body), url: input.url)
        }
    }

    /// Calls of a prebuilt chain, one after another: `none` without a cache, `off` with a disabled one,
    /// `constant` with a response in its place, `hit` and `miss` from memory, `disk` hits.
    static func measureCalls(_ kind: String, count: Int, folder: String) async throws {
        var client = Client(transport: ImmediateTransport())
        if kind == "constant" { client = client.with(CacheStandIn()) }
        let cache: ResponseCache? =
            switch kind {
            case "hit", "miss", "off": ResponseCache()
            case "disk": ResponseCache(memory: .bytes(0), disk: .folder(URL(filePath: folder)))
            default: nil
            }
        let modes: [String: CacheMode] = ["miss": .reload, "off": .off]
        if let cache { client = client.cache(cache, modes[kind] ?? .standard) }
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
    static func measureStore(_ folder: String, bytes: Int) async {
        let storage = disk(folder, limit: 1 << 30)
        let count = min(2_000, (128 << 20) / bytes)
        let data = Data(repeating: 7, count: bytes)
        let start = ContinuousClock.now
        for number in 0..<count {
            await put(data, key(number), storage)
            if number % 8 == 7 { await storage.flush() }
        }
        await storage.flush()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("store: \(count) entries of \(bytes) bytes, \(Int(Double(count * bytes) / 1e6 / seconds)) MB/s")
    }

    /// The first response from a folder with `entries` entries.
    static func measureFirst(_ folder: String, entries: Int) async {
        var storage = disk(folder, limit: 8 << 30)
        for number in 0..<entries {
            await put(Data(repeating: 7, count: 300), key(number), storage)
            if number % 500 == 0 { await storage.flush() }
        }
        await storage.flush()
        storage = disk(folder, limit: 8 << 30)
        let start = ContinuousClock.now
        let isFound = await storage.record(for: key(entries / 2))?.variants.isEmpty == false
        print("first: \(ContinuousClock.now - start) among \(entries) entries, found \(isFound)")
    }

    /// Resident bytes per entry in memory.
    static func measureMemory(entries: Int) async {
        let storage = MemoryStorage(limit: 1 << 40)
        let before = ResidentMemory.kilobytes
        for number in 0..<entries { await put(Data(repeating: 7, count: 300), key(number), storage) }
        let bytes = (ResidentMemory.kilobytes - before) << 10
        print("memory: \(bytes / entries) resident bytes for an entry of 300 bytes")
        _ = storage.counts
    }
}

/// Large content is stored on a disk, and a hit copied to a file: the memory for that must not grow with the content.
extension CacheSuite {
    /// Zeros, a piece at a time.
    private struct Zeros: Transport, CacheContent {
        let length: Int64

        var capabilities: TransportCapabilities { [.streamingDownload] }

        func read(_ range: Range<Int64>) async -> Data? { Data(count: range.count) }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let headers: Headers = ["Cache-Control": "max-age=3600", "Content-Length": "\(length)"]
            return TransportResponse(status: 200, headers: headers, body: .stream(stream(0..<length)), url: request.url)
        }
    }

    static func storeFile(_ folder: String, mebibytes: Int) async throws {
        let cache = cache(folder, mebibytes)
        let request = TransportRequest(url: page("large"), delivery: .stream)
        let response = try await cache.engine.send(request, over: Zeros(length: Int64(mebibytes) << 20))
        if case .stream(let stream) = response.body { for try await _ in stream {} }
        await cache.flush()
    }

    /// Copies content that another process has stored; returns whether all was copied, in less than 50 MiB of memory.
    static func copyFile(_ folder: String, mebibytes: Int) async throws -> Bool {
        let copy = "\(folder)/copy"
        let request = TransportRequest(url: page("large"), delivery: .file(URL(filePath: copy)))
        let engine = cache(folder, mebibytes).engine
        let before = ResidentMemory.peakKilobytes
        let isHit = try await engine.send(request, over: Zeros(length: 0)).cache?.source == .hit
        let isWhole = try PosixFiles().status(of: copy)?.size == mebibytes << 20
        print("file-hit: \(mebibytes) MiB copied, from the cache \(isHit), whole \(isWhole);", terminator: " ")
        let peak = ResidentMemory.peakKilobytes
        print("\(peak - before) KiB more resident at most, \(peak >> 10) MiB of the process")
        return isHit && isWhole && peak < 50 << 10
    }

    private static func cache(_ folder: String, _ mebibytes: Int) -> ResponseCache {
        // An entry is an eighth of the limit at most.
        ResponseCache(disk: .folder(URL(filePath: folder).appending(path: "cache"), limit: .mebibytes(mebibytes * 9)))
    }
}
