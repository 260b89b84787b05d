import CoreNetKit
import CoreNetKitCache
import CoreNetKitFleet
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitSharedStore
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("Fifty calls of each of eight processes that miss one response at once", .timeLimit(.minutes(10)), .paced)
struct StampedeTests {
    private final class Fleet: Sendable {
        let clock = ManualClock()
        let sent = Recorder<String>()
        let events = Recorder<FleetEvent>()
        let ways: [WatchedStore]
        private let clients: [Client]

        init(
            _ count: Int,
            ifStoreUnavailable policy: StoreFailurePolicy = .open,
            _ headers: Headers = ["Cache-Control": "max-age=60"]
        ) {
            let (clock, sent, events) = (clock, sent, events)
            let local = LocalStore(clock: clock)
            ways = (0..<count).map { _ in WatchedStore(local) }
            let transport = ClosureTransport { request in
                sent.record(request.headers["Accept-Language"] ?? "")
                // Time for those whose look-up is not over yet.
                try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
                return .init(status: 200, headers: headers, body: .bytes(Data("one".utf8)), url: request.url)
            }
            clients = ways.map { way in
                let storage = SharedCacheStorage(
                    in: way,
                    named: "test",
                    sealing: .plain,
                    ifStoreUnavailable: policy,
                    events: { events.record($0) }
                )
                let cache = ResponseCache(
                    storage: TieredStorage(
                        front: MemoryStorage(limit: 1 << 20),
                        behind: storage,
                        clock: CallClock(clock)
                    ),
                    timeout: .milliseconds(40),
                    missTimeout: .seconds(5),
                    clock: CallClock(clock)
                )
                return Client(transport: transport, clock: CallClock(clock)).cache(with: cache)
            }
        }

        func call(from process: Int, language: String = "") async throws -> String {
            let chain: Chain<Void, String> = UrlChainsBuilder<String>(client: clients[process])
                .set(deadline: nil)
                .route(.get, host)
                .set(headers: language.isEmpty ? [:] : ["Accept-Language": language])
                .build()
            return try await chain.process()
        }

        /// What becomes of calls at once.
        func calls(languages: [String] = [""]) async throws -> [String] {
            let count = clients.count
            return try await clock.running {
                try await concurrently(count * 50) { number in
                    do {
                        let language = languages[number / count % languages.count]
                        return try await self.call(from: number % count, language: language)
                    } catch {
                        return (error as? NetworkError).map { "\($0.code)" } ?? "\(error)"
                    }
                }
            }
        }
    }

    @Test("is one request for each process where the store does not reply in time, and says so")
    func slow() async throws {
        let (fleet, gate) = (Fleet(8), Signal())
        for way in fleet.ways { way.onCall { (_, _) throws(SharedStoreError) in await gate.wait() } }
        #expect(try await fleet.calls() == Array(repeating: "one", count: 400))
        #expect(fleet.sent.values.count == 8)
        #expect(Set(fleet.events.values.map(\.name)) == ["cache.fellBack"])
        gate.signal()
    }

    @Test("is one request for each process where the store is away", arguments: [1, 8])
    func away(count: Int) async throws {
        let fleet = Fleet(count)
        for way in fleet.ways { way.fail() }
        #expect(try await fleet.calls() == Array(repeating: "one", count: count * 50))
        #expect(fleet.sent.values.count == count)
    }

    @Test("is one request for all of them where the store replies")
    func healthy() async throws {
        let fleet = Fleet(8)
        #expect(try await fleet.calls() == Array(repeating: "one", count: 400))
        #expect(fleet.sent.values.count == 1)
        #expect(fleet.events.values.isEmpty)
    }

    @Test("is one request for each variant at least, and none gets another's")
    func variants() async throws {
        let fleet = Fleet(1, ["Cache-Control": "max-age=60", "Vary": "Accept-Language"])
        fleet.ways[0].fail()
        #expect(try await fleet.calls(languages: ["de", "en"]) == Array(repeating: "one", count: 50))
        // The first one's language is shared; the others find that theirs is another one.
        #expect(Set(fleet.sent.values) == ["de", "en"])
        #expect(fleet.sent.values.count == 26)
    }

    @Test("is a request of each call where the response is for one call alone")
    func unstorable() async throws {
        let fleet = Fleet(1, ["Cache-Control": "no-store"])
        fleet.ways[0].fail()
        #expect(try await fleet.calls() == Array(repeating: "one", count: 50))
        #expect(fleet.sent.values.count == 50)
    }

    @Test("is none where the store is needed and away; without it nothing is sent")
    func closed() async throws {
        let fleet = Fleet(1, ifStoreUnavailable: .closed)
        fleet.ways[0].fail()
        #expect(try await fleet.calls() == Array(repeating: "nodeFailed", count: 50))
        #expect(fleet.sent.values.isEmpty)
        fleet.ways[0].onCall(nil)
        fleet.clock.advance(by: .seconds(1))
        #expect(try await fleet.calls() == Array(repeating: "one", count: 50))
        #expect(fleet.sent.values.count == 1)
    }
}
