public import CoreNetKitChain

extension TokenRefresher: ChainPolicy, PartitionProvider, SessionKeeper {
    /// Inside of retry: each attempt has a token that works.
    public var positions: [ChainPosition] { [.token] }
    /// Responses depend on whose token it is.
    public var scope: PolicyScope { .object(ObjectIdentifier(self)) }

    /// Whose token it is.
    public var partitionProvider: (any PartitionProvider)? { self }

    /// Lets its tokens go.
    public var keeper: (any SessionKeeper)? { self }

    /// Tokens.
    public var kept: SignOut.Kind { .tokens }

    /// Waits until no token of the session is being renewed or saved: what was saved may be deleted then.
    public func letGo(of session: Partition.Session) async { await idle() }

    /// Makes the node.
    ///
    /// - Parameters:
    ///   - position: The position.
    ///   - next: The node after it.
    ///   - parts: The transport, the clock and the shared objects of the chain.
    /// - Returns: The node.
    public func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        TokenNode(next: next, refresher: self, parts: parts)
    }
}

extension PolicyHolder {
    /// Authorizes each attempt with a token, and renews it when it was refused; `nil` sends without.
    public func authorize(with refresher: TokenRefresher?) -> Self { with(refresher, at: .token) }
}
