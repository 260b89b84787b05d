public import CoreNetKitChain

/// Follows redirects.
struct RedirectPolicy: ChainPolicy {
    /// How many redirects a call follows.
    let limit: Int

    var positions: [ChainPosition] { [.redirect] }
    var scope: PolicyScope { .none }
    var problem: String? { limit < 0 ? "the limit of \(limit) redirects is below zero" : nil }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        limit == 0 ? next : RedirectNode(next: next, limit: limit)
    }
}

extension PolicyHolder {
    /// Sets how many redirects a call follows: 10 by default, 0 makes every redirect a response like any other.
    public func set(redirectLimit: Int) -> Self { with(RedirectPolicy(limit: redirectLimit)) }
}
