import CoreNetKitCache
import CoreNetKitHTTP
import Dispatch

import CoreNetKitEssentials
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs the public cache tests for private caches, and prints how many passed.
///
/// `CacheSuite <cache-tests.json> [memory | disk <folder> | both <folder>] [sockets]`; `.ci/proofs` and `.ci/measure`
/// use other commands.
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
        var arguments = Array(CommandLine.arguments.dropFirst())
        let usage = "usage: CacheSuite <cache-tests.json> [memory | disk <folder> | both <folder>] [sockets]"
        if arguments == ["--help"] { return print(usage) }
        if try await isTool(arguments) { return }
        let isOverSockets = arguments.last == "sockets"
        if isOverSockets { arguments.removeLast() }
        let place = Array(arguments.dropFirst())
        guard !arguments.isEmpty, let storage = storage(place) else {
            print(usage)
            exit(2)
        }
        let suites = try Suite.load(arguments[0])
        var results: [String: SuiteResult]
        if isOverSockets {
            results = try await OverSockets { cache(place, $0) }.results(suites)
            // These tests cannot be played over sockets: use the results of a run in process.
            let others = await InProcess(storage: MemoryStorage(limit: 1 << 20)).results(suites)
            for id in OverSockets.refused { results[id] = others[id] }
        } else {
            results = await InProcess(storage: storage).results(suites)
        }
        let report = SuiteReport(suites: suites, results: results)
        print(report.text)
        if isOverSockets {
            print("\nplayed in process: \(OverSockets.refused.sorted().joined(separator: ", "))")
        }
        let required = report.passed(.required)
        exit(required.passed == required.of && report.passed(.optimal).passed >= 68 ? 0 : 1)
    }

    /// The commands that the scripts of `.ci` use.
    private static func isTool(_ arguments: [String]) async throws -> Bool {
        let number = arguments.dropFirst().lazy.compactMap { Int($0) }.first ?? 1
        let folder = arguments.dropFirst().first { Int($0) == nil } ?? ""
        switch arguments.first {
        case "decide": try Decisions.reply()
        case "writers": exit(await Writers.run(folder, seconds: Int64(number)))
        case "verify": exit(await Writers.verify(folder))
        case "none", "off", "place", "hit", "miss", "disk-hit":
            let kind = arguments[0] == "disk-hit" ? "disk" : arguments[0]
            try await Measure.calls(kind, count: number, folder: folder)
        case "store": await Measure.store(folder, bytes: number)
        case "first": await Measure.first(folder, entries: number)
        case "file-store": try await FileHit.store(folder, mebibytes: number)
        case "file-hit": exit(try await FileHit.copy(folder, mebibytes: number) ? 0 : 1)
        case "resident": await Measure.memory(entries: number)
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

    /// A cache for one test, among those of others.
    private static func cache(_ place: [String], _ name: String) -> ResponseCache {
        let place = place.count == 2 ? [place[0], "\(place[1])-\(name)"] : place
        return ResponseCache(storage: storage(place) ?? MemoryStorage(limit: 8 << 20))
    }

    private static func disk(_ folder: String) -> DiskStorage {
        DiskStorage(folder, limit: 64 << 20) { Int64(time(nil)) }
    }
}
