public import CoreNetKitChain
import CoreNetKitHTTP

/// Sets where the requests of a client are stored; ordinary calls pass it unchanged.
///
/// It captures the client's settings when the client got its outbox: the client may send a stored request years later, so
/// a builder must not have policies of its own that a restart would forget.
struct OutboxPolicy: ChainPolicy {
    let outbox: Outbox
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
                ?? rest.firstIndex { isSameSetting($0.policy, set.policy) }
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
    /// let client = Client().retry(.standard).authorize(tokens).outbox(outbox)
    /// ```
    ///
    /// Deliveries ignore policies set after it, and `enqueue` reports them.
    public func outbox(_ outbox: Outbox) -> Self {
        with(OutboxPolicy(outbox: outbox, delivering: configuration.parts))
    }
}

/// Stores a request instead of sending it: the last node; in: `TransportRequest`, out: ``OutboxReceipt``.
struct OutboxNode: Node {
    let policy: OutboxPolicy?
    let parts: ChainParts
    let options: EnqueueOptions

    var successors: [any Node] { [] }

    func process(_ input: TransportRequest, context: RequestContext) async throws -> OutboxReceipt {
        guard let policy else {
            throw NetworkError(.invalidChain, "the client has no outbox; set one with outbox(_:)", node: id)
        }
        if let problem = policy.problem(of: parts) { throw NetworkError(.invalidChain, problem, node: id) }
        do {
            let hasOwner = await policy.outbox.engine.deliveryGate.namedOwner != nil
            let options = try completed(for: input, context, hasOwner: hasOwner)
            let receipt = try await policy.outbox.enqueue(input, options)
            context.record(.info, id, "stored as \(receipt.id)")
            return receipt
        } catch let error as OutboxError {
            throw NetworkError(.notStored, error.message, node: id, cause: error)
        }
    }

    private func completed(
        for request: TransportRequest,
        _ context: RequestContext,
        hasOwner: Bool
    ) throws(OutboxError) -> EnqueueOptions {
        var options = options
        let partition = options.user ?? context.partition
        options.secrets = context.secrets
        // The check below handles a name that is not stable across processes: it depends on a named owner.
        options.ignoresTokenOwner = partition.isAnonymous
        // A client that gives each call a key implies that its server honours them.
        if options.repetition == .byMethod, !request.method.isIdempotent, parts.has(.idempotencyKey) {
            options.repetition = .keyIsHonoured()
        }
        if partition.isAnonymous { return options }
        if partition.isStable {
            options.partition = partition.name
        } else if !hasOwner {
            throw OutboxError(
                .invalidOption,
                "the token policy does not name its user in a way that outlasts the process: name the user, or "
                    + "the outbox's owner, so that no other user's token is sent with this request"
            )
        }
        return options
    }
}

/// Whether two settings are certainly the same: the same objects, equal values, or values composed of such.
///
/// Not by their descriptions, which may change or hide differences. Values that cannot be compared count as different.
private func isSameSetting(_ left: Any, _ right: Any) -> Bool {
    guard type(of: left) == type(of: right) else { return false }
    if type(of: left) is AnyClass { return left as AnyObject === right as AnyObject }
    if let left = left as? any Equatable { return isEqual(left, right) }
    if let left = left as? [Any], let right = right as? [Any] {
        return left.count == right.count && zip(left, right).allSatisfy { isSameSetting($0, $1) }
    }
    // A custom mirror need not show the real parts.
    if left is any CustomReflectable { return false }
    let (mirror, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
    // A closure has no display style.
    guard let style = mirror.displayStyle, mirror.children.count == other.children.count else { return false }
    if style == .enum, mirror.children.isEmpty { return caseName(of: left).map { $0 == caseName(of: right) } ?? false }
    return zip(mirror.children, other.children).allSatisfy { $0.label == $1.label && isSameSetting($0.value, $1.value) }
}

/// The name of a case, unless a custom description could hide it.
private func caseName(of value: Any) -> String? {
    value is any CustomStringConvertible || value is any CustomDebugStringConvertible
        ? nil : String(describing: value)
}

private func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { right as? Value == left }
