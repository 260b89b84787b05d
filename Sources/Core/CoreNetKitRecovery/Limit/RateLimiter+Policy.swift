public import CoreNetKitChain

extension RateLimiter: ChainPolicy {
    /// Inside retry and hedging: the server counts every attempt.
    public var positions: [ChainPosition] { [RateNode.position] }
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
        sharing?.node(before: next) ?? RateNode(next: next, limiter: self)
    }
}

extension PolicyHolder {
    /// Limits the rate of requests; `nil` removes the limit.
    public func rate(with limiter: RateLimiter?) -> Self { with(limiter, at: RateNode.position) }
}
