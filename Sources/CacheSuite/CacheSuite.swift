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
/// `CacheSuite <cache-tests.json> [memory|disk]`
@main
enum CacheSuite {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else {
            print("usage: CacheSuite <cache-tests.json> [memory|disk]")
            exit(2)
        }
        let suites = try Suite.load(arguments[1])
        let results = await InProcess { MemoryStorage(limit: 8 << 20) }.results(suites)
        let report = SuiteReport(suites: suites, results: results)
        print(report.text)
        let isMet =
            report.passed(.required).passed == report.passed(.required).of && report.passed(.optimal).passed >= 68
        exit(isMet ? 0 : 1)
    }
}
