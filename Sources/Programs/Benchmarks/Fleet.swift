import CoreNetKit
import CoreNetKitCache
import CoreNetKitFleet
import CoreNetKitHTTP
import Foundation

/// The cost of sharing per call, with a server on a Unix domain socket of this machine.
///
/// Rounds are short: even on a busy machine some run undisturbed, and the fastest one is the cost of the work.
extension Benchmarks {
    static func fleet(rounds: Int) async throws {
        guard let program = StoreServer.program else {
            print("\nfleet: skipped, since neither redis-server nor valkey-server is installed")
            return
        }
        let server = try StoreServer(program)
        defer { server.stop() }
        let store = ValkeyStore(.unix(server.path), timeout: .seconds(1))
        let name = URL(filePath: program).lastPathComponent
        let table = Table(
            "Fleet: \(name) on a Unix domain socket, one call after the other, medians of \(rounds)",
            ["", "µs/call", "fastest", "aim", "CPU µs", "allocations"]
        )
        try await inHand(table, store, rounds)
        let key = SharedKey(kind: "bench", "nothing")
        try await measure(table, "a round trip: a key without a value", nil, rounds) { _ = try await store.read(key) }
        let bucket = SharedBucket(SharedKey(kind: "bench", "rate"), tokens: 1_000_000, burst: 100_000)
        try await measure(table, "a token by script", 40, rounds) { _ = try await store.takeTokens(1, from: bucket) }
        try await hits(table, store, rounds)
    }

    /// Pairs of calls, without and with a rate limit that takes tokens for 10 ms at once.
    private static func inHand(_ table: Table, _ store: ValkeyStore, _ rounds: Int) async throws {
        let client = Client(transport: nowhere)
        let alone = StoreFailurePolicy.localShare(of: 1)
        let limiter = RateLimiter(1_000_000, burst: 100_000, named: "hand", in: store, ifStoreUnavailable: alone)
        let workloads = [chain(client), chain(client.rate(limiter))].map { chain in
            Workload("", iterations: 2000) { _ = try await chain.process() as Data }
        }
        let samples = try await Workload.samples(of: workloads, rounds: rounds, warmUps: 1)
        let fastest = samples.map { $0.map(\.wall).min() ?? .nan }
        table.row([
            "a token in hand, more than without a rate", (samples.more(\.wall) * 1e6).text(),
            ((fastest[1] - fastest[0]) * 1e6).text(), "0.50", (samples.more(\.cpu) * 1e6).text(),
            samples.more(\.allocations).text(1),
        ])
    }

    private static func hits(_ table: Table, _ store: ValkeyStore, _ rounds: Int) async throws {
        for (name, sealing) in [("", nil), (", sealed", SealingKeys(try .random(id: "bench")))] {
            let storage =
                if let sealing {
                    SharedCacheStorage(in: store, named: "bench\(name)", sealing: sealing)
                } else {
                    SharedCacheStorage(in: store, named: "bench", sealing: .plain)
                }
            let cache = ResponseCache(storage: storage)
            let chain = chain(Client(transport: nowhere).cache(cache))
            // The first response is stored in the background.
            _ = try await chain.process() as Data
            let key = CacheKey(url: address)
            while await storage.record(for: key)?.variants.isEmpty != false { await Task.yield() }
            try await measure(table, "a shared hit of 2 KB\(name)", 60, rounds) { _ = await storage.record(for: key) }
            try await measure(table, "a call with that hit\(name)", nil, rounds) {
                _ = try await chain.process() as Data
            }
        }
    }

    private static let address = URL(string: "http://127.0.0.1/hello") ?? URL(filePath: "/")

    private static let nowhere = InstantTransport(
        response: TransportResponse(
            status: 200,
            headers: ["Cache-Control": "max-age=3600", "Content-Type": "application/json"],
            body: .bytes(Data(repeating: 0x20, count: 2048)),
            url: address
        )
    )

    private static func chain(_ client: Client) -> Chain<Void, Data> {
        UrlChainsBuilder<URL>(client: client).route(.get, address).loadData()
    }

    private static func measure(
        _ table: Table,
        _ name: String,
        _ aim: Double?,
        _ rounds: Int,
        _ call: @escaping () async throws -> Void
    ) async throws {
        let work = Workload(name, iterations: 200, call)
        let samples = try await Workload.samples(of: [work], rounds: rounds, warmUps: 1)[0]
        table.row([
            name, (samples.median(\.wall) * 1e6).text(), ((samples.map(\.wall).min() ?? .nan) * 1e6).text(),
            aim?.text() ?? "", (samples.median(\.cpu) * 1e6).text(), samples.median(\.allocations).text(1),
        ])
    }
}
