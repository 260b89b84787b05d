import CoreNetKitTransport

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
}
