public import CoreNetKitChain

extension CircuitBreaker: ChainPolicy {
    /// Outside retry: it counts calls, not attempts.
    public var positions: [ChainPosition] { [BreakerNode.position] }
    /// Responses do not depend on it.
    public var scope: PolicyScope { .none }

    /// Makes the node.
    ///
    /// - Parameters:
    ///   - position: The position.
    ///   - next: The node after it.
    ///   - parts: The transport, the clock and the shared objects of the chain.
    /// - Returns: The node.
    public func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        BreakerNode(next: next, breaker: self)
    }
}

extension PolicyHolder {
    /// Rejects calls while their server is failing; `nil` removes the breaker.
    public func breaker(_ breaker: CircuitBreaker?) -> Self { with(breaker, at: BreakerNode.position) }
}
