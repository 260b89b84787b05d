public import CoreNetKitChain
import CoreNetKitHTTP

/// Sets where the requests of a client are stored; ordinary calls pass it unchanged.
///
/// It captures the client's settings when the client got its outbox: the client may send a stored request years later, so
/// a builder must not have policies of its own that a restart would forget.
struct OutboxPolicy: ChainPolicy {
    let outbox: Outbox
    /// The settings of the client that delivers.
    let delivering: ChainParts

    var positions: [ChainPosition] { [.outbox] }
    var scope: PolicyScope { .none }
    var keeper: (any SessionDataOwner)? { outbox }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }

    /// The differences between a builder and the client inside the outbox; `nil` when its requests can be stored.
    func problem(of parts: ChainParts) -> String? {
        var own: [String] = []
        if parts.transportIdentity != delivering.transportIdentity { own.append("a transport") }
        var rest = Self.inner(delivering)
        for set in Self.inner(parts) {
            // An unchanged setting has the same number. Equality alone is not enough: a cookie jar may change during the
            // comparison.
            let index =
                rest.firstIndex { $0.setting == set.setting }
                ?? rest.firstIndex { SettingEquality.isSame($0.policy, set.policy) }
            if let index { rest.remove(at: index) } else { own.append(Self.name(of: set.policy)) }
        }
        // A replaced policy is already in the list.
        let missing = rest.map { Self.name(of: $0.policy) }.filter { !own.contains($0) }
        guard !own.isEmpty || !missing.isEmpty else { return nil }
        let parts = [
            own.isEmpty ? nil : "has \(own.joined(separator: ", ")) of its own",
            missing.isEmpty ? nil : "lacks the client's \(missing.joined(separator: ", "))",
        ]
        return
            "the builder \(parts.compactMap { $0 }.joined(separator: " and ")): a stored request is sent by the client "
            + "as it was when it got the outbox; set policies there, before outbox(_:)"
    }

    private static func inner(_ parts: ChainParts) -> [(policy: any ChainPolicy, setting: UInt64)] {
        zip(parts.policies, parts.settings).filter { set in set.0.positions.contains { $0 > .outbox } }
    }

    private static func name(of policy: any ChainPolicy) -> String {
        policy.positions.map(\.name).joined(separator: " and ")
    }
}

extension PolicyHolder {
    /// Stores requests in an outbox when a builder calls `enqueue`; call it after all other policies of a client.
    ///
    /// ```swift
    /// let client = Client().retry(.standard).authorize(with: tokens).outbox(outbox)
    /// ```
    ///
    /// Deliveries ignore policies set after it, and `enqueue` reports them.
    ///
    /// - Parameter outbox: The outbox that stores requests.
    /// - Returns: A changed copy.
    public func outbox(_ outbox: Outbox) -> Self {
        with(OutboxPolicy(outbox: outbox, delivering: configuration.parts))
    }
}
