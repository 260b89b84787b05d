import CoreNetKitHTTP

extension UrlChainsBuilder {
    /// Repeats failed attempts where that is safe; `nil` switches off what the client does.
    public func retry(_ policy: RetryPolicy?) -> Self {
        with { $0.policies.retry = policy }
    }

    /// Authorizes each attempt with a token, and renews it when it was refused; `nil` sends without.
    public func authorize(with refresher: TokenRefresher?) -> Self {
        with { $0.policies.tokens = refresher }
    }

    /// Gives each call of a method that is not idempotent an `Idempotency-Key`, the same on all its attempts.
    ///
    /// - Parameter make: Makes the key, once for each call; a request that has one keeps it.
    /// - Returns: A changed copy.
    public func idempotencyKey(_ make: @escaping @Sendable () -> String = { IdempotencyKey.random() }) -> Self {
        with { $0.policies.idempotencyKey = make }
    }

    /// Lets equal requests in flight share one exchange: GET, HEAD, OPTIONS and TRACE with collected responses.
    ///
    /// - Parameter fields: The header fields that make requests different; `nil` is all of them.
    /// - Returns: A changed copy.
    public func coalesce(by fields: [String]? = nil) -> Self {
        with { $0.policies.coalescing = .some(fields) }
    }

    /// Lets so many calls through at once, the others wait; `nil` lifts what the client sets.
    public func limit(with limiter: ConcurrencyLimiter?) -> Self {
        with { $0.policies.limiter = limiter }
    }

    /// Sends requests no faster than a rate; `nil` lifts what the client sets.
    public func rate(with limiter: RateLimiter?) -> Self {
        with { $0.policies.rate = limiter }
    }

    /// Refuses calls while their server is known to fail; `nil` lifts what the client sets.
    public func breaker(_ breaker: CircuitBreaker?) -> Self {
        with { $0.policies.breaker = breaker }
    }

    /// Sends a second request when there is no answer for so long; the first answer wins.
    public func hedge(after delay: Duration) -> Self {
        hedge(with: Hedger(after: .fixed(delay)))
    }

    /// Sends a second request when the answer is slow; `nil` lifts what the client sets.
    public func hedge(with hedger: Hedger?) -> Self {
        with { $0.policies.hedger = hedger }
    }

    /// Holds each call back until no other of its key has come for a while; the earlier ones end as cancelled.
    ///
    /// - Parameters:
    ///   - key: What the calls have in common.
    ///   - interval: How long there must be silence, above zero.
    ///   - debouncer: Remembers the calls; shared by all chains that pace each other.
    /// - Returns: A changed copy.
    public func debounce(_ key: String, for interval: Duration, in debouncer: Debouncer) -> Self {
        with { $0.policies.pace = .debounce(key, for: interval, in: debouncer) }
    }

    /// Lets the first call of a key through and no other for a while; the others end as cancelled, at once.
    ///
    /// - Parameters:
    ///   - key: What the calls have in common.
    ///   - interval: How long no other passes, above zero.
    ///   - debouncer: Remembers the calls; shared by all chains that pace each other.
    /// - Returns: A changed copy.
    public func throttle(_ key: String, for interval: Duration, in debouncer: Debouncer) -> Self {
        with { $0.policies.pace = .throttle(key, for: interval, in: debouncer) }
    }
}
