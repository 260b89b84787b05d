import CoreNetKitCache
@testable import CoreNetKitFleet
import CoreNetKitMock
import CoreNetKitSharedStore
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("What a process knows of the cache's counters", .timeLimit(.minutes(10)), .paced)
struct KnownCountersTests {
    private func key() throws -> CacheKey { CacheKey(url: try #require(URL(string: host + "/"))) }

    @Test("is out of date as soon as a change is heard of, also where the new number cannot be read")
    func changed() async throws {
        let (base, key) = (LocalStore(), try key())
        let store = WatchedStore(base)
        let storage = SharedCacheStorage(in: store, named: "test", sealing: .plain)
        let other = SharedCacheStorage(in: base, named: "test", sealing: .plain)
        // The other one makes the counters: this one hears of no change but the one below.
        _ = await other.record(for: key)
        while storage.counters(of: key) == nil { _ = await storage.record(for: key) }
        let before = storage.counters(of: key)
        store.fail()
        let reads = store.count(of: .read)
        #expect(await other.removeAll(partition: nil))
        // It is read again only after the change was heard of.
        await until { store.count(of: .read) > reads }
        let after = try #require(storage.counters(of: key))
        #expect(after != before)
    }

    @Test("is out of date after a lost connection, and is looked up again")
    func lostConnection() async throws {
        let (store, key) = (ForgetfulStore { LocalStore() }, try key())
        let storage = SharedCacheStorage(in: store, named: "test", sealing: .plain)
        _ = await storage.record(for: key)
        await store.asked.wait(2)
        _ = await storage.record(for: key)
        let before = try #require(storage.counters(of: key))
        store.tell()
        await store.asked.wait(3)
        let after = try #require(storage.counters(of: key))
        #expect(after != before)
        #expect(await storage.record(for: key)?.counters == before)
        #expect(storage.counters(of: key) == before)
    }

    @Test("says nothing of a record that is none, of whatever length: it is a miss, and is written again")
    func broken() async throws {
        let (world, key) = (SharedCacheTests.World(), try key())
        let store = WatchedStore(world.store)
        let storage = world.storage(in: store)
        _ = try await world.get(world.cache(storage))
        let place = try #require(store.lastWritten)
        #expect(await storage.record(for: key)?.variants.count == 1)
        for count in 0...20 {
            let bytes = try PlainSealing().sealed(Data(count: count), at: place)
            #expect(try await store.write(place, bytes, over: nil, for: .seconds(60)) != nil)
            #expect(await storage.record(for: key)?.variants.isEmpty == true)
        }
        for _ in 0..<2 { _ = try await world.get(world.cache(storage)) }
        #expect(world.sent.values.count == 2)
    }

    @Test("and a record that is written again lives as long as its responses, not as long as anything may")
    func life() async throws {
        let (world, clock, key) = (SharedCacheTests.World(), ManualClock(), try key())
        let base = LocalStore(clock: clock)
        for text in ["one", "two"] {
            world.text.withLock { $0 = text }
            let cache = world.cache(world.storage(in: base))
            _ = try await world.call(.post, "/", cache)
            #expect(try await world.get(cache) == text)
        }
        let storage = world.storage(in: base)
        #expect(await storage.record(for: key)?.variants.count == 1)
        clock.advance(by: .seconds(29 * 86_400))
        #expect(await storage.record(for: key)?.variants.isEmpty == true)
    }
}
