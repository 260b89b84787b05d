import CoreNetKit
import CoreNetKitHTTP
import Dispatch
import Foundation

/// Responds to each request at once and in the same way.
struct InstantTransport: Transport {
    let response: TransportResponse
    var capabilities: TransportCapabilities { [] }
    func clientIdentity(for url: URL) -> String? { "" }
    func send(_ request: TransportRequest) async throws -> TransportResponse { response }
}

/// The cost of each policy per call while it has nothing to do: pairs of runs, without and with it.
extension Benchmarks {
    /// Responds from another thread, as a real transport does.
    private struct DistantTransport: Transport {
        let response: TransportResponse
        var capabilities: TransportCapabilities { [] }
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            await withUnsafeContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: response) }
            }
        }
    }

    private typealias Builder = UrlChainsBuilder<URL>

    private static let calls = 10_000
    private static let pairs = 15

    @concurrent
    static func idlePolicies() async throws {
        guard let url = URL(string: "http://127.0.0.1/hello") else { return }
        let response = TransportResponse(status: 200, url: url)
        let instant = Builder(client: Client(transport: InstantTransport(response: response))).route(.get, url)
        let columns = ["", "ns/call", "allocations"]
        let table = Table("Policies that are on and idle, median of \(pairs) pairs", columns)
        try await measure(table, instant)
        // The minimum cost of coalescing and hedging: the same call in a separate task that can be cancelled.
        let base = instant.loadData()
        let task = Workload("a task around the call, no policy", iterations: calls) {
            _ = try await Task.immediate { try await base.process() as Data }.value
        }
        try await row(table, base, task)

        let distant = Builder(client: Client(transport: DistantTransport(response: response))).route(.get, url)
        let other = Table("The same over a transport that responds from another thread", columns)
        try await measure(other, distant)
    }

    private static func policies(_ plain: Builder) -> [(String, Builder)] {
        let expiring = AccessToken("t", expires: Date().addingTimeInterval(3600))
        let renewed = TokenRefresher(token: expiring, origins: .any) { _ in expiring }
        let fixed = TokenRefresher(token: AccessToken("t"), origins: .any) { _ in AccessToken("t") }
        return [
            ("retry", plain.retry(.standard)),
            ("idempotency key, where none is needed", plain.idempotencyKey()),
            ("token", plain.authorize(fixed)), ("token that expires", plain.authorize(renewed)),
            ("limit in all", plain.limit(ConcurrencyLimiter(total: 64, perHost: nil))),
            ("limit for each host", plain.limit(ConcurrencyLimiter())),
            ("rate", plain.rate(RateLimiter(1_000_000_000, burst: 1_000_000))),
            ("breaker", plain.breaker(CircuitBreaker())),
            ("throttle", plain.throttle("k", for: .nanoseconds(1), in: Debouncer())),
            ("coalescing", plain.coalesce()),
            ("hedging, learning", plain.hedge(Hedger(after: .percentile(0.999)))),
            ("hedging after a fixed delay", plain.hedge(after: .seconds(10))),
        ]
    }

    private static func measure(_ table: Table, _ plain: Builder) async throws {
        let base = plain.loadData()
        let alone = try await Workload.samples(of: [work("", base)], rounds: 1)[0][0]
        table.row(["GET, bytes, without any", (alone.cpu * 1e9).text(0), alone.allocations.text(1)])
        for (name, builder) in policies(plain) { try await row(table, base, work("+ " + name, builder.loadData())) }
    }

    private static func work(_ name: String, _ chain: Chain<Void, Data>) -> Workload {
        Workload(name, iterations: calls) { _ = try await chain.process() as Data }
    }

    /// The time is that of the processor, which does not depend on the load of the machine.
    private static func row(_ table: Table, _ base: Chain<Void, Data>, _ work: Workload) async throws {
        let samples = try await Workload.samples(of: [self.work("", base), work], rounds: pairs)
        table.row([work.name, (samples.more(\.cpu) * 1e9).text(0), samples.more(\.allocations).text(1)])
    }
}
