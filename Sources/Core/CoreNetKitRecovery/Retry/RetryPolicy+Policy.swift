public import CoreNetKitChain

extension RetryPolicy: ChainPolicy {
    /// Outside token, hedge and rate, which are part of an attempt.
    public var positions: [ChainPosition] { [RetryNode.position] }
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
        RetryNode(next: next, policy: self, parts: parts)
    }
}

extension PolicyHolder {
    /// Repeats failed attempts if that is safe; `nil` disables repetitions.
    public func retry(_ policy: RetryPolicy? = .standard) -> Self { with(policy, at: RetryNode.position) }

    /// Limits the repetitions of all calls with this budget together; by default a client and its copies share one.
    public func set(retryBudget: RetryBudget) -> Self { with(retryBudget) }
}
