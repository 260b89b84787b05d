public import CoreNetKitChain

/// Gives each call of a method that is not idempotent a key, the same on all its attempts.
struct IdempotencyKeyPolicy: ChainPolicy {
    let make: @Sendable () -> String

    var positions: [ChainPosition] { [.idempotencyKey] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        IdempotencyKeyNode(next: next, make: make)
    }
}

extension PolicyHolder {
    /// Gives each call of a method that is not idempotent an `Idempotency-Key`, the same on all its attempts.
    ///
    /// - Parameter make: Makes the key, once per call; an existing key of a request is kept.
    /// - Returns: A changed copy.
    public func idempotencyKey(_ make: @escaping @Sendable () -> String = { IdempotencyKey.random() }) -> Self {
        with(IdempotencyKeyPolicy(make: make))
    }
}
