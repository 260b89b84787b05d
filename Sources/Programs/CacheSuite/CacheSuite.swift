import CoreNetKitCache
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson
import Dispatch
import ProgramArguments

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs the public cache tests for private caches, and prints how many passed; scripts of `.ci` use other commands.
@main
enum CacheSuite {
    /// Synchronous, because callgrind does not follow a main thread that exits.
    static func main() {
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await run() } catch {
                print(error)
                exit(1)
            }
            isDone.signal()
        }
        isDone.wait()
    }

    private static func run() async throws {
        let usage = "usage: CacheSuite <cache-tests.json> [memory | disk <folder> | both <folder>] [sockets]"
        let program = ProgramArguments(usage, values: 4)
        var arguments = program.values
        if try await runCommand(arguments) { return }
        let isOverSockets = arguments.last == "sockets"
        if isOverSockets { arguments.removeLast() }
        let storageArguments = Array(arguments.dropFirst())
        guard !arguments.isEmpty else { program.refuse("the file of the tests is missing") }
        guard let storage = storage(storageArguments) else {
            program.refuse("unknown storage '\(storageArguments.joined(separator: " "))'")
        }
        let suites = try Suite.load(arguments[0])
        var results: [String: SuiteResult]
        if isOverSockets {
            results = try await playOverSockets(suites) { test in
                let ownFolder = storageArguments.dropFirst().map { "\($0)-\(test)" }
                return ResponseCache(storage: Self.storage(storageArguments.prefix(1) + ownFolder) ?? storage)
            }
            // These tests cannot be played over sockets: use the results of a run in process.
            let others = await playInProcess(suites, MemoryStorage(limit: 1 << 20))
            for id in refusedOverSockets { results[id] = others[id] }
        } else {
            results = await playInProcess(suites, storage)
        }
        let report = SuiteReport(suites: suites, results: results)
        print(report.text)
        if isOverSockets { print("\nplayed in process: \(refusedOverSockets.sorted().joined(separator: ", "))") }
        let required = report.passed(.required)
        exit(required.passed == required.total && report.passed(.optimal).passed >= 68 ? 0 : 1)
    }

    /// Runs a command of the scripts of `.ci`; returns whether there is one of that name.
    private static func runCommand(_ arguments: [String]) async throws -> Bool {
        let number = arguments.dropFirst().lazy.compactMap { Int($0) }.first ?? 1
        let folder = arguments.dropFirst().first { Int($0) == nil } ?? ""
        switch arguments.first {
        case "decide": try replyWithDecisions()
        case "writers": exit(await writeAndRead(folder, seconds: Int64(number)))
        case "verify": exit(await verifyWritten(folder))
        case "none", "off", "constant", "hit", "miss", "disk-hit":
            let kind = arguments[0] == "disk-hit" ? "disk" : arguments[0]
            try await measureCalls(kind, count: number, folder: folder)
        case "store": await measureStore(folder, bytes: number)
        case "first": await measureFirst(folder, entries: number)
        case "file-store": try await storeFile(folder, mebibytes: number)
        case "file-hit": exit(try await copyFile(folder, mebibytes: number) ? 0 : 1)
        case "resident": await measureMemory(entries: number)
        default: return false
        }
        return true
    }

    private static func storage(_ arguments: [String]) -> (any CacheStorage)? {
        switch (arguments.first ?? "memory", arguments.count) {
        case ("memory", 0...1): MemoryStorage(limit: 8 << 20)
        case ("disk", 2): disk(arguments[1])
        case ("both", 2): TieredStorage(front: MemoryStorage(limit: 6 << 20), behind: disk(arguments[1]))
        default: nil
        }
    }

    static func disk(_ folder: String, limit: Int64 = 64 << 20) -> DiskStorage {
        DiskStorage(folder, limit: limit) { seconds() }
    }

    /// Seconds since 1970.
    static func seconds() -> Int64 { Int64(time(nil)) }

    static func key(_ number: Int) -> CacheKey { CacheKey(url: page("\(number)")) }

    static func page(_ name: String) -> URL { URL(string: "http://shop.test/\(name)") ?? URL(filePath: "/") }

    /// Stores a page, small content with its head, unless chunks are to be written; returns whether all was written.
    @discardableResult
    static func put(_ data: Data, _ key: CacheKey, _ storage: any CacheStorage, chunkSize: Int? = nil) async -> Bool {
        guard let generations = await storage.record(for: key)?.generations else { return false }
        let isInline = chunkSize == nil && data.count <= CacheVariant.inlineLimit
        let time = CacheTime(wallMilliseconds: seconds() * 1000, monotonicMilliseconds: 0, bootID: UInt64(getpid()))
        let variant = CacheVariant(
            status: 200,
            headers: ["Cache-Control": "max-age=60", "Content-Type": "text/plain", "ETag": "\"a\""],
            selectingFields: [],
            requestTime: time,
            responseTime: time,
            isDecoded: false,
            generations: generations,
            content: .inline(isInline ? data : Data())
        )
        let (length, keepFor) = (Int64(data.count), Duration.seconds(60))
        if isInline { return await storage.apply(.put(variant, key, keepFor: keepFor)) == .written }
        let writer = await storage.writer(of: variant, for: key, length: length, keepFor: keepFor)
        guard let writer else { return false }
        var rest = data[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(chunkSize ?? rest.count)
            guard await writer.write(chunk.count == data.count ? data : Data(chunk)) else { return false }
            rest = rest.dropFirst(chunk.count)
        }
        _ = await writer.commit()
        return true
    }

    /// Answers another program, one JSON object per line: whether a response is stored, and how a request is handled.
    static func replyWithDecisions() throws {
        while let line = readLine() {
            print(try reply(Json(parsing: line)).text())
            fflush(nil)
        }
    }

    private static func reply(_ json: Json) -> Json {
        let (first, second) = (headers(json["first"]), headers(json["request"]))
        let response = headers(json["response"])
        let status = json["status"]?.int ?? 200
        let (received, elapsed) = (json["received"]?.int64 ?? 0, json["elapsed"]?.int64 ?? 0)
        let refusal = StorageRefusal.of(.get, first, status, response)
        guard refusal == nil, let names = Vary.names(response) else {
            return ["stored": false, "action": "ask", "section": .init(refusal?.rawValue ?? "vary")]
        }
        func time(_ elapsed: Int64) -> CacheTime {
            let steady = elapsed * 1000
            return CacheTime(wallMilliseconds: received * 1000 + steady, monotonicMilliseconds: steady, bootID: 1)
        }
        let variant = CacheVariant(
            status: status,
            headers: StoredFields.kept(response),
            selectingFields: Vary.selecting(names, in: first),
            requestTime: time(0),
            responseTime: time(0),
            isDecoded: false,
            content: .inline(Data())
        )
        let decision = decide(
            CacheRequestFacts(method: .get, headers: second),
            stored: CacheRecord(variants: [variant], generations: CacheGenerations()),
            now: time(elapsed)
        )
        let section = CacheReason(decision.reason).section
        return ["stored": true, "action": .init(name(of: decision.action)), "section": .init(section)]
    }

    private static func name(of action: CacheAction) -> String {
        switch action {
        case .use: "use"
        case .useStale: "stale"
        case .validate, .complete, .forward: "ask"
        case .refuse: "refuse"
        }
    }

    private static func headers(_ json: Json?) -> Headers {
        let fields = json?.array ?? []
        return Headers(
            fields.compactMap { field in field[0]?.string.flatMap { name in field[1]?.string.map { (name, $0) } } }
        )
    }
}
