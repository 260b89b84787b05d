import CoreNetKitCache
import TestSupport

@Suite("A validation before expiry", .timeLimit(.minutes(10)), .paced)
struct EarlyRefreshTests {
    @Test(
        "is due when the drawn number reaches the end: the longer the server took, the earlier",
        arguments: [
            // -ln(1 - 0.5) is 0.69: of the server's 1 s.
            (0.5, 1.0, 1000, 693, true), (0.5, 1.0, 1000, 694, false), (0.5, 2.0, 1000, 1386, true),
            (0.5, 1.0, 10, 7, false), (0.0, 1.0, 1000, 1, false), (0.999, 1.0, 1000, 6907, true),
        ]
    )
    func due(drawn: Double, factor: Double, took: Int64, left: Int64, isDue: Bool) {
        #expect(EarlyRefresh(factor) { drawn }.isDue(left: left, took: took) == isDue)
    }

    @Test("never happens with an invalid factor", arguments: [0, -1, Double.nan, .infinity])
    func off(factor: Double) {
        #expect(!EarlyRefresh(factor) { 0.999_999 }.isOn)
    }

    /// A server whose responses are fresh for a minute and take a second.
    private func world(_ factor: Double, _ text: String = "max-age=60") -> (Origin, ManualClock, Client, Signal) {
        let (clock, asked) = (ManualClock(), Signal())
        let origin = Origin { request, number in
            clock.advance(by: .seconds(1))
            asked.signal()
            let headers = control(text, ["ETag": "\"a\""])
            return try await Origin.confirming(headers, "body \(number)")(request, number)
        }
        let cache = ResponseCache(storage: MemoryStorage(limit: 1 << 20), earlyRefresh: factor, clock: CallClock(clock))
        return (origin, clock, Client(transport: origin, clock: CallClock(clock)).cache(cache), asked)
    }

    @Test("is one conditional request after a fresh hit, and extends its freshness")
    func behind() async throws {
        // So early that nearly every number suffices: the end is never farther than 10 000 s.
        let (origin, clock, client, asked) = world(10_000)
        #expect(try await text(client) == "body 1")
        #expect(try await text(client) == "body 1")
        await asked.wait(2)
        #expect(origin.requests.map { $0.headers["If-None-Match"] } == [nil, "\"a\""])
        clock.advance(by: .seconds(30))
        #expect(try await text(client) == "body 1")
    }

    @Test(
        "happens only if enabled, and not to responses that never change",
        arguments: [(0.0, "max-age=60"), (10_000, "max-age=60, immutable")]
    )
    func not(factor: Double, control: String) async throws {
        let (origin, _, client, _) = world(factor, control)
        // Over http anyone on the way could have added `immutable` (RFC 8246, 3).
        let url = url("https://shop.test/page")
        for _ in 0..<20 { #expect(try await text(client, url) == "body 1") }
        // Time for one in the background.
        for _ in 0..<1000 { await Task.yield() }
        #expect(origin.count == 1)
    }
}

@Suite("Background validations", .timeLimit(.minutes(10)), .paced)
struct BackgroundRefreshesTests {
    @Test("eight run at once, one per key; further ones are skipped, and may come again later")
    func limit() async throws {
        let (refreshes, stop) = (BackgroundRefreshes(), Stop())
        let started = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1].map { number in
            refreshes.start(key(number)) { await stop.pass() }
        }
        #expect(started == [true, false, true, true, true, true, true, true, true, false, false, false])
        await stop.isReached(by: 8)
        stop.open()
        await refreshes.idle()
        #expect(refreshes.start(key(9)) {})
        await refreshes.idle()
    }

    @Test("are cancelled at the end, after which none starts")
    func end() async throws {
        let (refreshes, never, wasCancelled) = (BackgroundRefreshes(), Stop(), Locked(false))
        refreshes.start(key(0)) {
            await never.pass()
            wasCancelled.withLock { $0 = Task.isCancelled }
        }
        await never.isReached()
        refreshes.end()
        await refreshes.idle()
        #expect(wasCancelled.withLock { $0 })
        #expect(!refreshes.start(key(1)) {})
    }

    @Test("start without the deadline of the call that caused them")
    func withoutDeadline() async throws {
        let inherited = Locked<[Bool]>([])
        let shop = Shop { _, number in
            inherited.withLock { $0.append(CallDeadline.current != nil) }
            return reply(200, control("max-age=1, stale-while-revalidate=60"), "\(number)")
        }
        _ = try await shop.text { $0.set(deadline: .seconds(5)) }
        shop.time.advance(5)
        #expect(try await shop.text { $0.set(deadline: .seconds(5)) } == "1")
        while shop.cache.counts.stored < 2 { await Task.yield() }
        #expect(inherited.withLock { $0 } == [true, false])
    }
}
