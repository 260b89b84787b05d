public import CoreNetKitChain

extension ConcurrencyLimiter: ChainPolicy {
    /// Outside retry: a call keeps its place through its attempts.
    public var positions: [ChainPosition] { [LimitNode.position] }
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
        LimitNode(next: next, limiter: self)
    }
}

extension PolicyHolder {
    /// Limits how many calls run at once and makes the others wait; `nil` removes the limit.
    public func limit(with limiter: ConcurrencyLimiter?) -> Self { with(limiter, at: LimitNode.position) }
}
