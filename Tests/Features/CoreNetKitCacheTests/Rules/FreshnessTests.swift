import CoreNetKitCache
import CoreNetKitHTTP
import TestPace
import Testing

@Suite("How long a response is of use", .paced)
struct FreshnessTests {
    @Test(
        "a response that cannot be confirmed is kept while it is fresh and for the longest time that it may be stale",
        arguments: [
            ("max-age=60", nil, 60), ("max-age=5", nil, 60), ("max-age=60", 100, 160),
            ("max-age=60, stale-while-revalidate=10", 100, 160), ("max-age=60, stale-if-error=300", 100, 360),
            ("max-age=60, stale-if-error=300, stale-while-revalidate=500", nil, 560),
        ] as [(String, Int64?, Int64)]
    )
    func use(control: String, staleIfError: Int64?, seconds: Int64) {
        var mode = CacheMode.standard
        if let staleIfError { mode = mode.staleIfError(for: .seconds(staleIfError)) }
        #expect(Freshness.use(of: DecideTests.variant(["Cache-Control": control]), mode) == .seconds(seconds))
    }
}
