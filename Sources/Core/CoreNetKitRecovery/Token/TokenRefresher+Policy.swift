public import CoreNetKitChain

extension TokenRefresher: ChainPolicy, PartitionProvider, SessionDataOwner {
    /// Inside retry: each attempt has a valid token.
    public var positions: [ChainPosition] { [TokenNode.position] }
    /// Responses depend on the user of the token.
    public var scope: PolicyScope { .object(ObjectIdentifier(self)) }

    /// The user of the token.
    public var partitionProvider: (any PartitionProvider)? { self }

    /// The refresher itself, because it keeps tokens.
    public var keeper: (any SessionDataOwner)? { self }

    /// Tokens.
    public var kind: SignOut.Kind { .tokens }

    /// Waits until no token of the session is being renewed or saved; after that, saved data may be deleted.
    public func removeData(of session: Partition.Session) async { await idle() }

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
    /// Authorizes each attempt with a token, and renews it when it was rejected; `nil` sends without a token.
    public func authorize(with refresher: TokenRefresher?) -> Self { with(refresher, at: TokenNode.position) }
}
