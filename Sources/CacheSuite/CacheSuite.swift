import CoreNetKitCache
import CoreNetKitHTTP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs the public cache tests for private caches, and prints how many passed.
///
/// `CacheSuite <cache-tests.json> [memory | disk <folder> | both <folder>]`
@main
enum CacheSuite {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2, let storage = storage(Array(arguments.dropFirst(2))) else {
            print("usage: CacheSuite <cache-tests.json> [memory | disk <folder> | both <folder>]")
            exit(2)
        }
        let suites = try Suite.load(arguments[1])
        let results = await InProcess(storage: storage).results(suites)
        let report = SuiteReport(suites: suites, results: results)
        print(report.text)
        let required = report.passed(.required)
        exit(required.passed == required.of && report.passed(.optimal).passed >= 68 ? 0 : 1)
    }

    private static func storage(_ arguments: [String]) -> (any CacheStorage)? {
        switch (arguments.first ?? "memory", arguments.count) {
        case ("memory", 0...1): MemoryStorage(limit: 8 << 20)
        case ("disk", 2): TieredStorage(memory: 0, disk: disk(arguments[1]))
        case ("both", 2): TieredStorage(memory: 8 << 20, disk: disk(arguments[1]))
        default: nil
        }
    }

    private static func disk(_ folder: String) -> DiskStorage {
        DiskStorage(folder, limit: 64 << 20) { Int64(time(nil)) }
    }
}
