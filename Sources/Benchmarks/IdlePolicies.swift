import CoreNetKit
import Foundation

/// What each policy costs a call while it has nothing to do: pairs of runs, without and with it.
struct IdlePolicies {
    private struct InstantTransport: Transport {
        let response: TransportResponse
        var capabilities: TransportCapabilities { [] }
        func send(_ request: TransportRequest) async throws -> TransportResponse { response }
    }

    private typealias Builder = UrlChainsBuilder<URL>

    private static let calls = 10_000
    private static let pairs = 15

    @concurrent
    static func run() async throws {
        guard let url = URL(string: "http://127.0.0.1/hello") else { return }
        let transport = InstantTransport(response: TransportResponse(status: 200, url: url))
        let plain = Builder(client: Client(transport: transport)).route(.get, url)
        let expiring = AccessToken("t", expires: Date().addingTimeInterval(3600))
        let policies: [(String, Builder)] = [
            ("retry", plain.retry(.standard)),
            ("idempotency key, where none is needed", plain.idempotencyKey()),
            ("token", plain.authorize(with: TokenRefresher(token: AccessToken("t")) { _ in AccessToken("t") })),
            ("token that expires", plain.authorize(with: TokenRefresher(token: expiring) { _ in expiring })),
            ("limit in all", plain.limit(with: ConcurrencyLimiter(total: 64, perHost: nil))),
            ("limit for each host", plain.limit(with: ConcurrencyLimiter())),
            ("rate", plain.rate(with: RateLimiter(1_000_000_000, burst: 1_000_000))),
            ("breaker", plain.breaker(CircuitBreaker())),
            ("throttle", plain.throttle("k", for: .nanoseconds(1), in: Debouncer())),
            ("coalescing", plain.coalesce()),
            ("hedging, learning", plain.hedge(with: Hedger(after: .percentile(0.999)))),
            ("hedging after a fixed delay", plain.hedge(after: .seconds(10))),
        ]

        let table = Table("Policies that are on and idle, median of \(pairs) pairs", ["", "ns/call", "allocations"])
        let base = plain.loadData()
        let alone = try await sample(base)
        table.row(["GET, bytes, without any", text(alone.cpu), text(alone.allocations, 1)])
        for (name, builder) in policies {
            let chain = builder.loadData()
            var times: [Double] = []
            var allocations: [Double] = []
            for _ in 0..<pairs {
                let without = try await sample(base)
                let with = try await sample(chain)
                times.append(with.cpu - without.cpu)
                allocations.append(with.allocations - without.allocations)
            }
            table.row(["+ " + name, text(times.median), text(allocations.median, 1)])
        }
    }

    private static func sample(_ chain: Chain<Void, Data>) async throws -> Sample {
        try await Sample.of { for _ in 0..<calls { _ = try await chain.process() as Data } }
    }

    /// For one call; times in nanoseconds of the processor, which a busy machine does not stretch.
    private static func text(_ total: Double, _ digits: Int = 0) -> String {
        (total / Double(calls) * (digits == 0 ? 1e9 : 1)).text(digits)
    }
}
