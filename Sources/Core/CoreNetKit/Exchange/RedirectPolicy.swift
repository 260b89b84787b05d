public import CoreNetKitChain
public import CoreNetKitHTTP

/// Follows redirects.
struct RedirectPolicy: ChainPolicy {
    /// The maximum number of redirects of a call.
    let limit: Int
    var decide: RedirectNode.Decide?

    var positions: [ChainPosition] { [RedirectNode.position] }
    // The effect of a custom hook is unknown.
    var scope: PolicyScope { decide == nil ? .none : .unknown }
    var problem: String? { limit < 0 ? "the limit of \(limit) redirects is below zero" : nil }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        limit == 0 ? next : RedirectNode(next: next, limit: limit, decide: decide)
    }
}

extension PolicyHolder {
    /// Sets how many redirects a call follows: 10 by default; 0 makes every redirect a response like any other.
    public func set(redirectLimit: Int) -> Self { with(RedirectPolicy(limit: redirectLimit)) }

    /// Decides about each redirect before it is followed; forbidden ones are refused earlier.
    ///
    /// - Parameters:
    ///   - limit: How many redirects a call follows, as in ``PolicyHolder/set(redirectLimit:)``.
    ///   - decide: Decides about the hop; called on the task of the call, once per hop.
    /// - Returns: A changed copy.
    public func onRedirect(
        limit: Int = 10,
        _ decide: @escaping @Sendable (TransportResponse.Redirect) -> TransportResponse.Redirect.Decision
    ) -> Self {
        with(RedirectPolicy(limit: limit, decide: decide))
    }
}
