import CoreNetKitCache
import CoreNetKitCacheConformance
import TestSupport

@testable import CoreNetKitFleet

@Suite("Stored responses that several processes share", .timeLimit(.minutes(10)), .paced)
struct SharedCacheTests {
    final class World: Sendable {
        let store = LocalStore()
        let sent = Recorder<String>()
        let text = Locked("one")

        func storage(in store: (any SharedStore)? = nil, sealing: some Sealing = .plain) -> SharedCacheStorage {
            SharedCacheStorage(in: store ?? self.store, named: "test", sealing: sealing)
        }

        func cache(_ storage: SharedCacheStorage? = nil, copiesFor: Duration = .seconds(3600)) -> ResponseCache {
            let front = MemoryStorage(limit: 1 << 20)
            return ResponseCache(
                storage: TieredStorage(front: front, behind: storage ?? self.storage(), copiesFor: copiesFor),
                // A busy machine is no store that is slow.
                timeout: .seconds(60)
            )
        }

        func get(_ cache: ResponseCache, _ path: String = "/", user: String? = nil) async throws -> String {
            try await call(.get, path, cache, user: user)
        }

        func call(
            _ method: HTTPMethod,
            _ path: String,
            _ cache: ResponseCache,
            user: String? = nil
        ) async throws -> String {
            let (sent, text) = (sent, text)
            let transport = ClosureTransport { request in
                sent.record("\(request.method) \(request.url.path)")
                let text = text.withLock { $0 }
                let headers: Headers = ["Cache-Control": "max-age=600", "ETag": "\"\(text)\""]
                if request.headers["If-None-Match"] == headers["ETag"] {
                    return .init(status: 304, headers: headers, url: request.url)
                }
                return .init(status: 200, headers: headers, body: .bytes(Data(text.utf8)), url: request.url)
            }
            return try await Client(transport: transport).cache(cache).text(method, host + path, user: user)
        }
    }

    private let world = World()

    @Test("follow the rules of every storage, also with memory before them", arguments: [false, true], [false, true])
    func conformance(isSealed: Bool, hasMemory: Bool) async throws {
        let sealing: any Sealing = isSealed ? SealingKeys(try .random(id: "a")) : PlainSealing.plain
        let findings = await CacheStorageConformance.check {
            let storage = World().storage(sealing: sealing)
            return hasMemory ? TieredStorage(front: MemoryStorage(limit: 1 << 20), behind: storage) : storage
        }
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("are fetched by one process for all, and kept apart by user")
    func shared() async throws {
        let caches = (0..<3).map { _ in world.cache() }
        for cache in caches { #expect(try await world.get(cache) == "one") }
        #expect(world.sent.values.count == 1)
        for cache in caches { #expect(try await world.get(cache, user: "ann") == "one") }
        #expect(world.sent.values.count == 2)
    }

    @Test("that another process has changed are no longer returned, once the change is reported")
    func changed() async throws {
        let storages = (0..<2).map { _ in world.storage() }
        let caches = storages.map { world.cache($0) }
        let key = CacheKey(url: try #require(URL(string: host + "/")))
        for storage in storages { await storage.listen(key) }
        for cache in caches { #expect(try await world.get(cache) == "one") }
        let before = storages[1].generations(of: key)
        world.text.withLock { $0 = "two" }
        _ = try await world.call(.post, "/", caches[0])
        await until { storages[1].generations(of: key) != before }
        #expect(try await world.get(caches[1]) == "two")
        #expect(try await world.get(caches[0]) == "two")
    }

    @Test("of an emptied partition are gone in all processes, once the change is reported")
    func emptied() async throws {
        let (storages, name) = ((0..<2).map { _ in world.storage() }, Partition("ann").name)
        let caches = storages.map { world.cache($0) }
        let key = CacheKey(url: try #require(URL(string: host + "/")), partition: name)
        for storage in storages { await storage.listen(key) }
        for cache in caches { _ = try await world.get(cache, user: "ann") }
        #expect(world.sent.values.count == 1)
        for (text, partition) in [("two", name), ("three", nil)] {
            world.text.withLock { $0 = text }
            let before = storages[1].generations(of: key)
            #expect(await storages[0].removeAll(partition: partition))
            await until { storages[1].generations(of: key) != before }
            for storage in storages { #expect(await storage.record(for: key)?.variants.isEmpty == true) }
            for cache in caches { #expect(try await world.get(cache, user: "ann") == text) }
        }
    }

    @Test("are a miss while the store is away; nothing fails, and memory continues")
    func away() async throws {
        let store = WatchedStore(world.store)
        let cache = world.cache(world.storage(in: store))
        store.fail()
        for _ in 0..<3 { #expect(try await world.get(cache) == "one") }
        store.onCall(nil)
        #expect(try await world.get(cache, "/other") == "one")
        #expect(try await world.get(world.cache(), "/other") == "one")
        #expect(world.sent.values.filter { $0 == "GET /other" }.count == 1)
    }

    @Test("concurrent edits of several processes lose nothing of one another")
    func atOnce() async throws {
        let caches = (0..<4).map { _ in world.cache(copiesFor: .zero) }
        try await concurrently(40) { _ = try await world.get(caches[$0 % 4], "/\($0 % 10)") }
        let count = world.sent.values.count
        for number in 0..<10 { _ = try await world.get(world.cache(), "/\(number)") }
        #expect(world.sent.values.count == count)
    }

    @Test("sealed with a missing key are a miss, and written again")
    func sealed() async throws {
        let (old, new) = (SealingKeys(try .random(id: "old")), SealingKeys(try .random(id: "new")))
        _ = try await world.get(world.cache(world.storage(sealing: old)))
        for _ in 0..<2 { _ = try await world.get(world.cache(world.storage(sealing: new))) }
        #expect(world.sent.values.count == 2)
    }
}

extension SharedCacheStorage {
    fileprivate func listen(_ key: CacheKey) async {
        while generations(of: key) == nil { _ = await record(for: key) }
    }
}

@Suite("What a process knows of the cache's generations", .timeLimit(.minutes(10)), .paced)
struct KnownGenerationsTests {
    private func key() throws -> CacheKey { CacheKey(url: try #require(URL(string: host + "/"))) }

    @Test("is out of date as soon as a change is heard of, also where the new number cannot be read")
    func changed() async throws {
        let (base, key) = (LocalStore(), try key())
        let store = WatchedStore(base)
        let storage = SharedCacheStorage(in: store, named: "test", sealing: .plain)
        let other = SharedCacheStorage(in: base, named: "test", sealing: .plain)
        // The other one makes the generations: this one hears of no change but the one below.
        _ = await other.record(for: key)
        await storage.listen(key)
        let before = storage.generations(of: key)
        store.fail()
        let reads = store.count(of: .read)
        #expect(await other.removeAll(partition: nil))
        // It is read again only after the change was heard of.
        await until { store.count(of: .read) > reads }
        let after = try #require(storage.generations(of: key))
        #expect(after != before)
    }

    @Test("is out of date after a lost connection, and is looked up again")
    func lostConnection() async throws {
        let (store, key) = (ForgetfulStore(), try key())
        let storage = SharedCacheStorage(in: store, named: "test", sealing: .plain)
        _ = await storage.record(for: key)
        await store.asked.wait(2)
        _ = await storage.record(for: key)
        let before = try #require(storage.generations(of: key))
        store.tell()
        await store.asked.wait(3)
        let after = try #require(storage.generations(of: key))
        #expect(after != before)
        #expect(await storage.record(for: key)?.generations == before)
        #expect(storage.generations(of: key) == before)
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
            #expect(try await store.write(place, bytes, ifVersion: nil, for: .seconds(60)) != nil)
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

@Suite("Fifty calls of each of eight processes that miss one response at once", .timeLimit(.minutes(10)), .paced)
struct StampedeTests {
    private final class Fleet: Sendable {
        let clock = ManualClock()
        let sent = Recorder<String>()
        let events = Recorder<FleetEvent>()
        let ways: [WatchedStore]
        private let processes: [(cache: ResponseCache, client: Client)]

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
            processes = ways.map { way in
                let storage = SharedCacheStorage(
                    in: way,
                    named: "test",
                    sealing: .plain,
                    ifStoreUnavailable: policy,
                    events: { events.record($0) }
                )
                let (front, calls) = (MemoryStorage(limit: 1 << 20), CallClock(clock))
                let cache = ResponseCache(
                    storage: TieredStorage(front: front, behind: storage, clock: calls),
                    timeout: .milliseconds(40),
                    missTimeout: .seconds(5),
                    clock: calls
                )
                return (cache, Client(transport: transport, clock: calls).cache(cache))
            }
        }

        func call(from process: Int, language: String = "") async throws -> String {
            try await processes[process].client.text(headers: language.isEmpty ? [:] : ["Accept-Language": language])
        }

        func calls(languages: [String] = [""]) async throws -> [String] {
            let (processes, sent, count) = (processes, sent, processes.count)
            // The first response comes once all calls have looked up, however slow their threads are.
            let gate = (
                clock.now.advanced(by: .seconds(1)),
                { @Sendable in
                    !sent.values.isEmpty && processes.reduce(0) { $0 + $1.cache.callsWaiting } >= count * 49
                }
            )
            return try await clock.running(gate: gate) {
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

    private static let plain: Headers = ["Cache-Control": "max-age=60"]
    private static let rows: [(processes: Int, headers: Headers, languages: [String], requests: Int)] = [
        (1, plain, [""], 1), (8, plain, [""], 8),
        // The first one's language is shared; the others find that theirs is another one.
        (1, ["Cache-Control": "max-age=60", "Vary": "Accept-Language"], ["de", "en"], 26),
        (1, ["Cache-Control": "no-store"], [""], 50),
    ]

    @Test("is one request for each process, variant or unstorable response where the store is away", arguments: rows)
    func away(processes: Int, headers: Headers, languages: [String], requests: Int) async throws {
        let fleet = Fleet(processes, headers)
        for way in fleet.ways { way.fail() }
        #expect(try await fleet.calls(languages: languages) == Array(repeating: "one", count: processes * 50))
        #expect(Set(fleet.sent.values) == Set(languages))
        #expect(fleet.sent.values.count == requests)
    }

    @Test("is one request for all of them where the store replies")
    func healthy() async throws {
        let fleet = Fleet(8)
        #expect(try await fleet.calls() == Array(repeating: "one", count: 400))
        #expect(fleet.sent.values.count == 1)
        #expect(fleet.events.values.isEmpty)
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
