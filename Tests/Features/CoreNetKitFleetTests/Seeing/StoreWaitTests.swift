import CoreNetKitCache
import CoreNetKitFleet
import CoreNetKitObservability
import TestSupport

@Suite("The time that calls wait for a store", .timeLimit(.minutes(10)), .paced)
struct StoreWaitTests {
    private let recorder = CallRecorder()
    private let metrics = CallMetrics()
    /// A test's: what is in hand is not too old because the machine is busy.
    private var (clock, store) = LocalStore.onManualClock()

    private func client(_ status: Int = 200, headers: Headers = [:]) -> Client {
        let transport = ClosureTransport {
            .init(status: status, headers: headers, body: .bytes(Data("x".utf8)), url: $0.url)
        }
        return Client(transport: transport, clock: CallClock(clock)).record(to: recorder).record(to: metrics)
    }

    private func call(_ client: Client, _ method: HTTPMethod = .get, key: String? = nil) async throws {
        _ = try await client.text(method, headers: key.map { ["Idempotency-Key": $0] } ?? [:])
        await client.flushRecords()
    }

    private func waits() throws -> [CallEvent.Wait.Kind] {
        let record = try #require(recorder.records.last)
        #expect(record.problems.isEmpty, "\(record.problems)")
        return record.events.compactMap { if case .waitStarted(let wait) = $0.kind { wait.kind } else { nil } }
    }

    @Test("counts separately if a shared rate's token is requested, and is none if one is in hand")
    func rate() async throws {
        let limiter = RateLimiter(1000, burst: 50, named: "api", in: store, ifStoreUnavailable: .localShare(of: 2))
        let client = client().rate(limiter)
        try await call(client)
        #expect(try waits() == [.store])
        try await call(client)
        #expect(try waits().isEmpty)
    }

    @Test("is separate from the time that a rate holds a call")
    func held() async throws {
        let limiter = RateLimiter(1, per: .milliseconds(300), named: "api", in: store, ifStoreUnavailable: .closed)
        let client = client().rate(limiter)
        try await call(client)
        try await clock.running(yields: 0) { try await call(client) }
        // The store's reply, which gives a place in the line of all processes, and the time until that.
        #expect(try waits() == [.store, .rate])
        let record = try #require(recorder.records.last)
        let end = record.events.first { if case .waitEnded(.store, _) = $0.kind { true } else { false } }
        #expect(end?.time == .zero, "the store replies at once")
    }

    @Test("counts separately before and after the request of an idempotency key")
    func idempotency() async throws {
        let records = IdempotencyRecords(in: store, named: "test", sealing: .plain)
        let client = client(201).idempotencyRecords(records)
        try await call(client, .post, key: "job 1")
        #expect(try waits() == [.store, .store])
        try await call(client, .post, key: "job 1")
        #expect(try waits() == [.store])
    }

    @Test("counts separately if a cache looks behind memory, and is none if memory is enough")
    func cache() async throws {
        let storage = SharedCacheStorage(in: store, named: "test", sealing: .plain)
        func client() -> Client {
            let front = MemoryStorage(limit: 1 << 20)
            let tiers = TieredStorage(front: front, behind: storage, copiesFor: .seconds(3600))
            // A busy machine is no storage that is slow.
            let cache = ResponseCache(storage: tiers, timeout: .seconds(60))
            return self.client(headers: ["Cache-Control": "max-age=600"]).cache(cache)
        }
        try await call(client())
        let other = client()
        try await call(other)
        #expect(try waits() == [.store])
        try await call(other)
        #expect(try waits().isEmpty)
    }

    @Test("is part of the wait for a token, in the call that refreshes for all")
    func token() async throws {
        let auth = AuthServer()
        let refresher = TokenRefresher(
            shared: SharedCredentials(store, named: "tests", sealing: .plain, afterLostRefresh: .endSession),
            token: Login(0),
            origins: [host],
            user: "ann",
            refresh: { auth.refreshed($0) }
        )
        auth.expire()
        // Time that passes would renew the lease.
        let client = Client(transport: ClosureTransport(auth.resources), clock: CallClock(clock))
            .record(to: recorder).authorize(refresher)
        try await client.call()
        await client.flushRecords()
        // Look, lease, look, intention, result, release.
        #expect(try waits() == [.token, .store, .store, .store, .store, .store, .store])
    }

    @Test("appears under its name in the waterfall, in the archive and among the figures")
    func seen() async throws {
        let limiter = RateLimiter(1000, named: "api", in: store, ifStoreUnavailable: .open)
        try await call(client().rate(limiter))
        let record = try #require(recorder.records.last)
        #expect(record.waterfall.contains("store"))
        #expect(String(decoding: HARWriter.data(of: [record]), as: UTF8.self).contains(#""kind":"store""#))
        #expect(metrics.prometheus.contains(#"corenetkit_client_wait_duration_seconds_count{kind="store"} 1"#))
    }

    @Test("fallbacks without the store are counted, by feature and kind")
    func events() async throws {
        let watched = WatchedStore(store)
        watched.fail()
        let count: @Sendable (FleetEvent) -> Void = { [metrics] in metrics.count(event: $0.name) }
        let limiter = RateLimiter(1000, named: "api", in: watched, ifStoreUnavailable: .open, events: count)
        try await call(client().rate(limiter))
        #expect(metrics.prometheus.contains(#"corenetkit_client_events_total{event="rate.fellBack"} 1"#))
        #expect(String(decoding: metrics.otlp(service: "shop"), as: UTF8.self).contains("corenetkit.client.events"))
    }

    @Test("beyond a hundred names all events are one figure")
    func fewNames() {
        for number in 0..<120 { metrics.count(event: "event \(number)") }
        metrics.count(event: "event 7")
        #expect(metrics.prometheus.contains(#"{event="other"} 20"#))
        #expect(metrics.prometheus.contains(#"{event="event 7"} 2"#))
    }
}
