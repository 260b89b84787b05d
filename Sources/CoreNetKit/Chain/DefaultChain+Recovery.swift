import CoreNetKitHTTP

// The policies between `aroundCall` and the status, each only where it is asked for.
extension UrlChainsBuilder {
    /// Puts the policies around an attempt, innermost first.
    func recovering(_ attempt: Exchange) -> Exchange {
        var next = attempt
        if let limiter = policies.rate { next = rate(next, limiter) }
        if let hedger = policies.hedger { next = hedge(next, hedger) }
        if let refresher = policies.tokens { next = token(next, refresher) }
        if let policy = policies.retry { next = retry(next, policy) }
        if let limiter = policies.limiter { next = limit(next, limiter) }
        if let breaker = policies.breaker { next = refuse(next, breaker) }
        if let fields = policies.coalescing { next = coalesce(next, fields) }
        return next
    }

    /// Holds calls back outside of everything else.
    func paced<Input: Sendable, Output: Sendable>(_ next: any Node<Input, Output>) -> any Node<Input, Output> {
        guard let pace = policies.pace else { return next }
        return PaceNode(next: AnyNode(next), pace: pace, client: client)
    }

    private func rate(_ next: some Node<TransportRequest, TransportResponse>, _ limiter: RateLimiter) -> Exchange {
        RateNode(next: next, limiter: limiter, client: client)
    }

    private func hedge(_ next: some Node<TransportRequest, TransportResponse>, _ hedger: Hedger) -> Exchange {
        HedgeNode(next: next, hedger: hedger, client: client, countsCalls: policies.retry == nil)
    }

    private func token(_ next: some Node<TransportRequest, TransportResponse>, _ refresher: TokenRefresher) -> Exchange
    {
        TokenNode(next: next, refresher: refresher, client: client)
    }

    private func retry(_ next: some Node<TransportRequest, TransportResponse>, _ policy: RetryPolicy) -> Exchange {
        RetryNode(next: next, policy: policy, client: client)
    }

    private func limit(_ next: some Node<TransportRequest, TransportResponse>, _ limiter: ConcurrencyLimiter)
        -> Exchange
    {
        LimitNode(next: next, limiter: limiter, client: client)
    }

    private func refuse(_ next: some Node<TransportRequest, TransportResponse>, _ breaker: CircuitBreaker) -> Exchange {
        BreakerNode(next: next, breaker: breaker, client: client)
    }

    private func coalesce(_ next: some Node<TransportRequest, TransportResponse>, _ fields: [String]?) -> Exchange {
        // What stands inside and is not part of the request: calls of two users are not equal.
        var scope = policies.tokens.map { [ObjectIdentifier($0)] } ?? []
        if let transport = request.transport {
            let isObject = type(of: transport) is AnyClass
            scope.append(isObject ? ObjectIdentifier(transport as AnyObject) : ObjectIdentifier(type(of: transport)))
        }
        return CoalescingNode(next: next, by: fields, client: client, scope: scope)
    }
}
