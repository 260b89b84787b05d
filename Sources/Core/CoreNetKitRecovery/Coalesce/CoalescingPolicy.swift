public import CoreNetKitChain

/// Lets equal requests in flight share one exchange if their responses cannot differ.
struct CoalescingPolicy: ChainPolicy {
    let fields: [String]?

    var positions: [ChainPosition] { [CoalescingNode.position] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        guard let scope = parts.scopes(inside: position) else { return next }
        return CoalescingNode(next: next, by: fields, scope: scope, parts: parts)
    }
}

extension PolicyHolder {
    /// Lets equal requests in flight share one exchange: GET, HEAD, OPTIONS and TRACE with collected responses.
    ///
    /// Calls with different tokens, partitions or transports never share one. Nothing is shared if a custom node with
    /// unknown scope is inside: see `PolicyHolder.insert(at:scope:_:)`.
    /// - Parameter fields: The header fields that distinguish requests, besides those that identify the user, such as
    ///   `Authorization`; `nil` for all of them.
    /// - Returns: A changed copy.
    public func coalesce(by fields: [String]? = nil) -> Self { with(CoalescingPolicy(fields: fields)) }
}

extension PolicyHolder {
    /// The number of calls that share an exchange or may be joined: those that wait in `coalesce`.
    public var callsCoalesced: Int {
        configuration.parts.shared.object(Coalescer.self) { Coalescer() }.callsWaiting
    }
}
