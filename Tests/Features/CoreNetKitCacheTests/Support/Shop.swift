import CoreNetKitCache
import TestSupport

/// A client with a cache in front of an origin.
struct Shop: Sendable {
    let time = TestMachine()
    let folder: TestFolder
    let origin: Origin
    let cache: ResponseCache
    let client: Client

    init(storage: any CacheStorage = MemoryStorage(limit: 1 << 20), _ handler: @escaping Origin.Handler) {
        (origin, folder) = (Origin(handler), TestFolder())
        cache = ResponseCache(storage: storage, clock: time.clock, date: { [time] in time.date })
        client = Client(transport: origin, clock: time.clock, date: { [time] in time.date }).cache(cache)
    }

    /// A cache with memory before a folder; its date is that of the system, like the dates of the files.
    init(
        disk limit: CacheSize,
        memory: CacheSize = .mebibytes(1),
        in folder: TestFolder = TestFolder(),
        below path: String = "",
        _ handler: @escaping Origin.Handler
    ) {
        (origin, self.folder) = (Origin(handler), folder)
        let disk = CacheDisk.folder(URL(filePath: folder.path + path), limit: limit)
        cache = ResponseCache(memory: memory, disk: disk, clock: time.clock)
        client = Client(transport: origin, clock: time.clock).cache(cache)
    }

    func builder(_ path: String = "page", _ client: Client? = nil) -> UrlChainsBuilder<URL> {
        UrlChainsBuilder(client: client ?? self.client).route(.get, page.sibling(path))
    }

    func data(
        _ path: String = "page",
        _ headers: Headers = [:],
        _ change: (Client) -> Client = { $0 }
    ) async throws -> Data {
        let builder = builder(path, change(client))
        let chain: Chain<Void, Data> = (headers.isEmpty ? builder : builder.set(headers: headers)).loadData()
        return try await chain.process() as Data
    }

    func text(
        _ path: String = "page",
        _ headers: Headers = [:],
        _ change: (Client) -> Client = { $0 }
    ) async throws -> String {
        String(decoding: try await data(path, headers, change), as: UTF8.self)
    }

    /// A change, a second after what was before it, and a second before what comes.
    func post(_ path: String = "page", _ headers: Headers = [:]) async throws {
        time.advance(1)
        let chain: Chain<Void, Void> = builder().set(headers: headers).route(.post, page.sibling(path)).build()
        try await chain.process() as Void
        time.advance(1)
    }

    /// The files that contain parts of responses.
    func files() async throws -> [String] {
        await cache.flush()
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
            name.contains("/") && !["/lock", "/trim", "/counters", "/marks"].contains { name.hasSuffix($0) }
                && (try? PosixFiles().status(of: "\(folder.path)/\(name)"))?.kind == .file
        }
    }
}

/// The text of a page.
func text(_ client: Client, _ url: URL = page) async throws -> String { try await client.text(url.absoluteString) }

extension URL {
    /// The URL with another last component.
    func sibling(_ path: String) -> URL { deletingLastPathComponent().appending(path: path) }
}

/// A place for a folder that what is tested creates; it is removed with the test.
final class TestFolder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appending(path: "cache-\(UInt64.random(in: .min ... .max))").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
