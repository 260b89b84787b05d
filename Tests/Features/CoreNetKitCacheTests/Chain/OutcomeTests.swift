import CoreNetKitCache
import TestPace
import Testing

@Suite("What a cache reports about a response", .paced)
struct OutcomeTests {
    @Test(
        "a hit is stale from the moment its lifetime ends, and if no lifetime is known",
        arguments: [(999, false), (1000, true), (1001, true), (nil, true)] as [(Int64?, Bool)]
    )
    func stale(age: Int64?, isStale: Bool) {
        #expect(CacheOutcome(.hit, .fresh, age: age, lifetime: 1000).isStale == isStale)
        #expect(!CacheOutcome(.validated, .fresh, age: age, lifetime: 1000).isStale)
    }
}
