import TestSupport

@testable import CoreNetKitCache

@Suite("Misses of several processes", .timeLimit(.minutes(10)), .paced)
struct SharedMissTests {
    /// What processes share: a storage, and a record of which process requested what.
    private struct SharedStorage: CacheStorage {
        let records = MemoryStorage(limit: 1 << 20)
        let leases = Locked<Set<CacheKey>>([])
        let refusals = Locked(0)

        func record(for key: CacheKey) async -> CacheRecord? { records.loadedRecord(for: key) }
        func apply(_ edit: CacheEdit) async -> CacheEdit.Result { await records.apply(edit) }
        func generations(at slots: [Int]) async -> [UInt64]? { await records.generations(at: slots) }
        func removeAll(partition: String?) async -> Bool { await records.removeAll(partition: partition) }
        func endLease(_ key: CacheKey) async { leases.withLock { _ = $0.remove(key) } }
        func lease(_ key: CacheKey, for time: Duration) async -> Bool {
            let isGranted = leases.withLock { $0.insert(key).inserted }
            guard !isGranted else { return true }
            refusals.withLock { $0 += 1 }
            return false
        }
    }

    private let storage = SharedStorage()
    private let clock = ManualClock()

    private func process(_ origin: Origin, missTimeout: Duration = .seconds(5)) -> Client {
        let cache = ResponseCache(storage: storage, missTimeout: missTimeout, clock: CallClock(clock))
        return Client(transport: origin, clock: CallClock(clock)).cache(cache)
    }

    /// Returns when this many processes wait for their next check, and the time of the last of them.
    @discardableResult
    private func waiting(_ count: Int = 1) async -> ManualClock.Instant {
        while true {
            let soon = clock.now.advanced(by: .milliseconds(50))
            let sleepers = clock.sleepers.filter { $0 <= soon }
            if sleepers.count >= count, let last = sleepers.last { return last }
            await Task.yield()
        }
    }

    /// Advances the clock to the next check of the waiting processes, as soon as this many wait.
    private func look(of count: Int = 1) async { clock.advance(to: await waiting(count)) }

    @Test("share one request, whose response all of them get")
    func one() async throws {
        let stop = Stop()
        let origin = Origin { _, _ in
            await stop.pass()
            return reply(200, fresh)
        }
        async let first = text(process(origin))
        await stop.isReached()
        async let second = text(process(origin))
        async let third = text(process(origin))
        // One that was refused looks for a response once more before it waits, and would find the first one's.
        await waiting(2)
        stop.open()
        #expect(try await first == "body")
        await look(of: 2)
        #expect(try await [second, third] == ["body", "body"])
        #expect(origin.count == 1)
        #expect(storage.leases.withLock { $0.isEmpty })
    }

    @Test("go to the server one after another if a response is not stored or does not come")
    func failure() async throws {
        let stop = Stop()
        let origin = Origin { _, number in
            guard number == 1 else { return reply(200, fresh) }
            await stop.pass()
            return reply(404)
        }
        let first = Task { try await text(process(origin)) }
        await stop.isReached()
        async let second = text(process(origin))
        await waiting()
        stop.open()
        await #expect(throws: NetworkError.self) { try await first.value }
        await look()
        #expect(try await second == "body")
        #expect(origin.count == 2)
        #expect(storage.leases.withLock { $0.isEmpty })
    }

    @Test("wait for a dead process as long as their timeout lasts, and leave its lease alone")
    func death() async throws {
        let origin = Origin { _, _ in reply(200, fresh) }
        let key = CacheKey(url: page)
        storage.leases.withLock { _ = $0.insert(key) }
        async let text = text(process(origin, missTimeout: .milliseconds(20)))
        while clock.now.offset < .milliseconds(20) { await look() }
        #expect(try await text == "body")
        #expect(origin.count == 1)
        #expect(storage.leases.withLock { $0 } == [key])
    }

    @Test("do not wait without a timeout, nor for anything but a miss")
    func none() async throws {
        let origin = Origin { _, _ in reply(200, fresh) }
        storage.leases.withLock { _ = $0.insert(CacheKey(url: page)) }
        #expect(try await text(process(origin, missTimeout: .zero)) == "body")
        #expect(try await text(process(origin)) == "body")
        #expect(origin.count == 1)
        #expect(storage.refusals.withLock { $0 } == 0)
    }
}

@Suite("Requests in flight for a resource", .timeLimit(.minutes(10)), .paced)
struct SharedRequestsTests {
    private static let (old, new) = (CacheGenerations(url: 1), CacheGenerations(url: 2))
    private let clock = ManualClock()
    private let key = CacheKey(url: page)

    @Test(
        "are joined by calls that have seen the same invalidations, or none",
        arguments: [(old, true), (new, false), (nil, true)] as [(CacheGenerations?, Bool)]
    )
    func joining(generations: CacheGenerations?, joins: Bool) {
        let requests = SharedRequests(retaining: .seconds(1), on: CallClock(clock))
        let first = requests.join(key, Self.old)
        let second = requests.join(key, generations)
        #expect(first.isFirst && second.isFirst != joins)
        #expect((first.request === second.request) == joins)
        #expect(requests.join(CacheKey(url: page.appending(path: "other")), Self.old).isFirst)
        // The newest one is the one that others join.
        #expect(requests.join(key, generations).request === second.request)
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
