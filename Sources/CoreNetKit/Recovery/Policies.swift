/// What a client does about failures and load; nothing unless it is set.
///
/// A ``Client`` holds the policies of all its chains, a builder's options change them for its own. The chain has one
/// order, whatever order the options were set in: see `Docs/Recovery.md`.
public struct Policies: Sendable {
    /// Whether and how failed attempts are repeated.
    public var retry: RetryPolicy?
    /// Who keeps the token that requests are authorized with.
    public var tokens: TokenRefresher?
    /// How many calls are under way at once.
    public var limiter: ConcurrencyLimiter?
    /// How many requests are sent in a stretch of time.
    public var rate: RateLimiter?
    /// Whether calls to a server that fails are refused; for clients of one server.
    public var breaker: CircuitBreaker?
    /// Whether slow requests are sent twice.
    public var hedger: Hedger?

    /// Makes the key of a call that would otherwise not be safe to repeat.
    var idempotencyKey: (@Sendable () -> String)?
    /// The fields by which equal requests are known; the outer `nil` shares nothing.
    var coalescing: [String]??
    var pace: Pace?

    /// Creates policies; all are off unless named.
    public init(
        retry: RetryPolicy? = nil,
        tokens: TokenRefresher? = nil,
        limiter: ConcurrencyLimiter? = nil,
        rate: RateLimiter? = nil,
        breaker: CircuitBreaker? = nil,
        hedger: Hedger? = nil
    ) {
        self.retry = retry
        self.tokens = tokens
        self.limiter = limiter
        self.rate = rate
        self.breaker = breaker
        self.hedger = hedger
    }
}
