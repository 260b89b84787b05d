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
struct CacheFlightsTests {
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
        let flights = CacheFlights(staying: .seconds(1), on: CallClock(clock))
        let first = flights.board(key, Self.old)
        let second = flights.board(key, row.counters)
        #expect(first.isFirst && second.isFirst != row.joins)
        #expect((first.flight === second.flight) == row.joins)
        #expect(flights.board(CacheKey(url: page.appending(path: "other")), Self.old).isFirst)
        // The newest one is the one that others join.
        #expect(flights.board(key, row.counters).flight === second.flight)
    }

    @Test("are joined by nobody when they have ended without a response for others, or been closed")
    func ended() async throws {
        let flights = CacheFlights(staying: .seconds(1), on: CallClock(clock))
        for landing in [CacheFlights.Landing.failed, .own] {
            let (flight, isFirst) = flights.board(key, Self.old)
            #expect(isFirst)
            flights.land(flight, key, landing)
            #expect(try await flight.landing(until: .seconds(9), on: CallClock(clock)) != nil)
        }
        let (late, _) = flights.board(key, Self.old)
        flights.close()
        let (newer, isFirst) = flights.board(key, Self.old)
        #expect(isFirst)
        // One that was closed does not end its successor.
        flights.land(late, key, .failed)
        #expect(flights.board(key, Self.old).flight === newer)
    }
}
