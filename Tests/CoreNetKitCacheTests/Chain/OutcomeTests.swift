import CoreNetKitCache
import TestPace
import Testing

@Suite("What a cache says of a response", .paced)
struct OutcomeTests {
    @Test(
        "a hit is stale from the moment at which its time is over, and where nobody says how long it lasts",
        arguments: [(999, false), (1000, true), (1001, true), (nil, true)] as [(Int64?, Bool)]
    )
    func stale(age: Int64?, isStale: Bool) {
        #expect(CacheOutcome(.hit, .fresh, age: age, lifetime: 1000).isStale == isStale)
        #expect(!CacheOutcome(.validated, .fresh, age: age, lifetime: 1000).isStale)
    }
}
