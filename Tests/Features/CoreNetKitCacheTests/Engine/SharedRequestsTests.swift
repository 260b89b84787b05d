import CoreNetKit
@testable import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitMock
import CoreNetKitSystem
import TestPace
import TestSupport
import Testing

@Suite("Requests in flight for a resource", .timeLimit(.minutes(10)), .paced)
struct SharedRequestsTests {
    private static let (old, new) = (CacheCounters(url: 1), CacheCounters(url: 2))
    private let clock = ManualClock()
    private let key = CacheKey(url: page)

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var counters: CacheCounters? = CacheCounters(url: 1)
        let joins: Bool
    }

    @Test(
        "are joined by calls that have seen the same marks, or none",
        arguments: [
            Row(testDescription: "the same", joins: true),
            Row(testDescription: "another mark", counters: new, joins: false),
            Row(testDescription: "unknown ones", counters: nil, joins: true),
        ]
    )
    func joining(row: Row) {
        let requests = SharedRequests(retaining: .seconds(1), on: CallClock(clock))
        let first = requests.join(key, Self.old)
        let second = requests.join(key, row.counters)
        #expect(first.isFirst && second.isFirst != row.joins)
        #expect((first.request === second.request) == row.joins)
        #expect(requests.join(CacheKey(url: page.appending(path: "other")), Self.old).isFirst)
        // The newest one is the one that others join.
        #expect(requests.join(key, row.counters).request === second.request)
    }

    @Test("are joined by nobody when they have ended without a response for others, or been closed")
    func ended() async throws {
        let requests = SharedRequests(retaining: .seconds(1), on: CallClock(clock))
        for outcome in [SharedRequests.Outcome.failed, .own] {
            let (request, isFirst) = requests.join(key, Self.old)
            #expect(isFirst)
            requests.complete(request, key, outcome)
            #expect(try await request.outcome(until: .seconds(9), on: CallClock(clock)) != nil)
        }
        let (late, _) = requests.join(key, Self.old)
        requests.close()
        let (newer, isFirst) = requests.join(key, Self.old)
        #expect(isFirst)
        // One that was closed does not end its successor.
        requests.complete(late, key, .failed)
        #expect(requests.join(key, Self.old).request === newer)
    }
}
