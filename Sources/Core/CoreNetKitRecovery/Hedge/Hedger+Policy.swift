public import CoreNetKitChain

extension Hedger: ChainPolicy {
    /// Inside retry and the token: both requests belong to one attempt.
    public var positions: [ChainPosition] { [HedgeNode.position] }
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
        HedgeNode(next: next, hedger: self, parts: parts)
    }
}

extension PolicyHolder {
    /// Sends a second request if there is no response after a delay; the first response wins.
    public func hedge(after delay: Duration) -> Self { hedge(with: Hedger(after: .fixed(delay))) }

    /// Sends a second request when the response is slow; `nil` sends only one.
    public func hedge(with hedger: Hedger?) -> Self { with(hedger, at: HedgeNode.position) }
}
