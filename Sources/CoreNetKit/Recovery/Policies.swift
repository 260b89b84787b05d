/// What a client does about failures and load; nothing unless it is set.
///
/// A ``Client`` holds the policies of all its chains, a builder's options change them for its own. The chain has one
/// order, whatever order the options were set in: see `Docs/Recovery.md`.
public struct Policies: Sendable {
    /// Whether and how failed attempts are repeated.
    public var retry: RetryPolicy?
    /// Who keeps the token that requests are authorized with.
    public var tokens: TokenRefresher?

    /// Creates policies; all are off unless named.
    public init(retry: RetryPolicy? = nil, tokens: TokenRefresher? = nil) {
        self.retry = retry
        self.tokens = tokens
    }

    /// Makes the key of a call that would otherwise not be safe to repeat.
    package var idempotencyKey: (@Sendable () -> String)?
}
