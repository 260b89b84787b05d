import TestSupport

@Suite("Settings that allow nothing", .timeLimit(.minutes(10)), .paced)
struct InvalidSettingsTests {
    typealias Builder = UrlChainsBuilder<String>

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let set: @Sendable (Builder) -> Builder
    }

    private static func rows<Value: Sendable>(
        _ values: [Value],
        _ set: @escaping @Sendable (Builder, Value) -> Builder
    ) -> [Row] { values.map { value in Row(testDescription: "\(value)") { set($0, value) } } }

    private static func token(_ margin: Int, _ timeout: Int, _ coolDown: Int) -> TokenRefresher {
        TokenRefresher(
            origins: [host],
            margin: .seconds(margin),
            timeout: .seconds(timeout),
            coolDown: .seconds(coolDown)
        ) { _ in AccessToken("t") }
    }

    private static let limits = [
        rows([(0, nil), (-1, nil), (1, 0), (1, -1)] as [(Int, Int?)]) {
            $0.limit(ConcurrencyLimiter(total: $1.0, perHost: $1.1))
        },
        rows([(0, 10), (-1, 10), (5, 4)]) { $0.limit(.adaptive(atLeast: $1.0, atMost: $1.1)) },
        rows([
            RateLimiter(0), RateLimiter(-1), RateLimiter(1, per: .zero), RateLimiter(1, burst: 0),
            RateLimiter(1, burst: .min),
        ]) { $0.rate($1) },
        rows([Hedger.Delay.fixed(.zero), .percentile(0), .percentile(1), .percentile(.nan)]) {
            $0.hedge(Hedger(after: $1))
        },
        rows([0, -1]) { $0.debounce("k", for: .seconds($1), in: Debouncer()) },
        rows([0, -1]) { $0.throttle("k", for: .seconds($1), in: Debouncer()) },
    ]

    private static let policies = [
        rows([
            RetryPolicy(limit: -1), RetryPolicy(backoff: .exponential(base: .zero)),
            RetryPolicy(backoff: .exponential(base: .seconds(-1))),
            RetryPolicy(backoff: .exponential(base: .seconds(2), cap: .seconds(1))),
            RetryPolicy(longestRetryAfter: .seconds(-1)),
        ]) { $0.retry($1) },
        rows([-0.1, 1.1, .nan, .infinity]) { $0.retry(.standard).retryBudget(RetryBudget(ratio: $1)) },
        rows([-1]) { $0.retry(.standard).retryBudget(RetryBudget(floor: $1)) },
        rows([
            CircuitBreaker(ratio: 0), CircuitBreaker(ratio: 1.1), CircuitBreaker(ratio: .nan),
            CircuitBreaker(minimumCalls: 0), CircuitBreaker(window: .zero), CircuitBreaker(pause: .seconds(-1)),
        ]) { $0.breaker($1) },
        rows([token(-1, 1, 1), token(1, 0, 1), token(1, -1, 1), token(1, 1, -1)]) { $0.authorize($1) },
    ]

    @Test("make each call fail, and nothing is sent", arguments: (limits + policies).flatMap(\.self))
    func fails(row: Row) async {
        let wire = Wire(statuses: [200])
        #expect(await wire.chain { row.set($0) }.failure?.code == .invalidChain)
        #expect(wire.count == 0)
    }
}
