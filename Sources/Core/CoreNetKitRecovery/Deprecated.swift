public import CoreNetKitChain

// Verbs of 0.2, some of which took `nil` to switch a policy off: that is `without(_:)`.
extension PolicyHolder {
    /// The former form of ``limit(_:)``.
    @available(*, deprecated, message: "write 'limit(_:)', or 'without(.limit)' instead of nil")
    public func limit(with limiter: ConcurrencyLimiter?) -> Self { with(limiter, at: LimitNode.position) }

    /// The former form of ``rate(_:)``.
    @available(*, deprecated, message: "write 'rate(_:)', or 'without(.rate)' instead of nil")
    public func rate(with limiter: RateLimiter?) -> Self { with(limiter, at: RateNode.position) }

    /// The former form of ``hedge(_:)``.
    @available(*, deprecated, message: "write 'hedge(_:)', or 'without(.hedge)' instead of nil")
    public func hedge(with hedger: Hedger?) -> Self { with(hedger, at: HedgeNode.position) }

    /// The former form of ``authorize(_:)``.
    @available(*, deprecated, message: "write 'authorize(_:)', or 'without(.token)' instead of nil")
    public func authorize(with refresher: TokenRefresher?) -> Self { with(refresher, at: TokenNode.position) }

    /// The former form of ``retryBudget(_:)``.
    @available(*, deprecated, renamed: "retryBudget(_:)")
    public func set(retryBudget: RetryBudget) -> Self { self.retryBudget(retryBudget) }

    /// Repeats failed attempts, or with `nil` none.
    @_disfavoredOverload
    @available(*, deprecated, message: "write 'without(.retry)' instead of nil")
    public func retry(_ policy: RetryPolicy?) -> Self { with(policy, at: RetryNode.position) }

    /// Rejects calls while their server is failing, or with `nil` none.
    @_disfavoredOverload
    @available(*, deprecated, message: "write 'without(.breaker)' instead of nil")
    public func breaker(_ breaker: CircuitBreaker?) -> Self { with(breaker, at: BreakerNode.position) }
}
