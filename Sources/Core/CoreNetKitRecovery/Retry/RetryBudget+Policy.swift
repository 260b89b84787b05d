public import CoreNetKitChain

extension RetryBudget: ChainPolicy {
    /// No position: it only counts for retry and hedging.
    public var positions: [ChainPosition] { [] }
    /// Responses do not depend on it.
    public var scope: PolicyScope { .none }

    /// Has no node.
    ///
    /// - Parameters:
    ///   - position: The position.
    ///   - next: The node after it.
    ///   - parts: The transport, the clock and the shared objects of the chain.
    /// - Returns: The next node.
    public func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }
}

extension ChainParts {
    /// The budget that was set, or the default that a client and its copies share.
    package var retryBudget: RetryBudget {
        policy(RetryBudget.self) ?? shared.object(RetryBudget.self) { RetryBudget() }
    }
}
