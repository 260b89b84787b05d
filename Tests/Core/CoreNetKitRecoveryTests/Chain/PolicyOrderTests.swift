import TestSupport

@testable import CoreNetKitRecovery

/// A policy's node as another module would define it.
private struct CacheNode: PolicyNode {
    static let position = ChainPosition.cache
    let next: Exchange

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        try await next.process(input, context: context)
    }
}

@Suite("The order of policies", .timeLimit(.minutes(10)), .paced)
struct PolicyOrderTests {
    private let wire = Wire(statuses: [200])

    private static let options: [@Sendable (UrlChainsBuilder<String>) -> UrlChainsBuilder<String>] = [
        { $0.retry(.standard) },
        { $0.authorize(TokenRefresher(origins: .any) { _ in AccessToken("t") }) },
        { $0.coalesce() },
        { $0.breaker(CircuitBreaker()) },
        { $0.limit(ConcurrencyLimiter()) },
        { $0.rate(RateLimiter(1)) },
        { $0.hedge(after: .seconds(1)) },
        { $0.idempotencyKey() },
        { $0.debounce("k", for: .seconds(1), in: Debouncer()) },
    ]

    @Test("is the same in whatever order the options are set")
    func fixed() {
        var generator = SplitMix64(seed: 42)
        for _ in 0..<50 {
            let options = Self.options.shuffled(using: &generator)
            let chain = Client.shared.chain { options.reduce($0) { $1($0) } }
            #expect(
                chain.description == """
                    VoidInputNode
                    RequestNode
                    ResponseNode
                    PaceNode
                    IdempotencyKeyNode
                    CoalescingNode
                    BreakerNode
                    LimitNode
                    RetryNode
                    TokenNode
                    HedgeNode
                    RateNode
                    StatusNode
                    RedirectNode
                    TransportNode
                    """
            )
            #expect(chain.diagnostics.isEmpty)
        }
    }

    @Test("a chain without options has none of the nodes")
    func off() {
        let chain = Client.shared.chain()
        #expect(!chain.description.contains("Retry") && !chain.description.contains("Token"))
        #expect(chain.description.components(separatedBy: "\n").count == 6)
    }

    @Test("hand-made chains that nest them wrongly say so and fail every call before anything is sent")
    func wrongOrder() async throws {
        let client = wire.client()
        let attempt = StatusNode(next: TransportNode(wire))
        let refresher = TokenRefresher(origins: .any) { _ in AccessToken("t") }
        let cache = CacheNode(next: attempt)
        let wrong: [(any Node<TransportRequest, TransportResponse>, String)] = [
            (
                TokenNode(next: RetryNode(next: attempt, client: client), refresher: refresher, client: client),
                "RetryNode is inside TokenNode: put it outside"
            ),
            (RetryNode(next: cache, client: client), "CacheNode is inside RetryNode: put it outside"),
            (
                StatusNode(next: AnyNode(RetryNode(next: TransportNode(wire), client: client))),
                "RetryNode is inside StatusNode: put it outside"
            ),
            (
                RetryNode(next: RetryNode(next: attempt, client: client), client: client),
                "RetryNode is inside another RetryNode: their repetitions multiply"
            ),
            (
                RetryNode(next: LimitNode(next: attempt, limiter: ConcurrencyLimiter()), client: client),
                "LimitNode is inside RetryNode: put it outside"
            ),
        ]
        for (head, problem) in wrong {
            let chain = Chain(head)
            #expect(chain.diagnostics == [problem])
            let request = TransportRequest(url: try #require(URL(string: host)))
            let error = await failure { _ = try await chain.process(request) }
            #expect(error?.code == .invalidChain)
            #expect(error?.message == problem)
        }
        let right = Chain(
            RetryNode(next: TokenNode(next: attempt, refresher: refresher, client: client), client: client)
        )
        #expect(right.diagnostics.isEmpty)
        #expect(wire.count == 0)
    }

    @Test("a custom node in the wrong place of the builder's chain is found too")
    func insertion() async throws {
        let client = wire.client()
        let chain = client.chain {
            $0.authorize(TokenRefresher(origins: .any) { _ in AccessToken("t") })
                .insert(at: .attempt) { RetryNode(next: AnyNode($0), client: client) }
        }
        let error = await chain.failure
        #expect(error?.message == "RetryNode is inside StatusNode: put it outside")
        #expect(wire.count == 0)
    }

    private struct Silent: MetadataProvider {
        let gate: Gate

        func metadata() async throws -> Headers {
            try await gate.pass()
            return [:]
        }
    }

    @Test("a custom chain: a provider that never responds is abandoned at the deadline, which needs the chain's clock")
    func provider() async throws {
        let clock = CallClock(wire.clock)
        let gate = Gate()
        let head = HeadersNode(next: TransportNode(wire), provider: Silent(gate: gate))
        let chain = Chain(head, deadline: .seconds(5), clock: clock)
        let request = TransportRequest(url: try #require(URL(string: host)))
        let call = Task { await failure { _ = try await chain.process(request) as TransportResponse } }
        await gate.arrived(1)
        await wire.clock.sleeping(5)
        wire.clock.advance(by: .seconds(5))
        let error = await call.value
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.node == "HeadersNode")
        #expect(wire.count == 0)
    }
}
