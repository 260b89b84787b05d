public import CoreNetKitHTTP
public import Dispatch

/// What a client and a builder have in common: every verb and every setting is an extension of it, written once, beside
/// its policy.
public protocol PolicyHolder: Sendable {
    /// Transport, policies, and how calls run.
    var configuration: ChainConfiguration { get set }
}

extension PolicyHolder {
    /// Sets a policy: in place of the one that stands at the same positions, or beside it where policies add up.
    public func with(_ policy: some ChainPolicy) -> Self { changed { $0.set(policy) } }

    /// Takes the policies of a position away, those of the client included.
    public func without(_ position: ChainPosition) -> Self { changed { $0.remove(position) } }

    /// Sets a policy, or takes away what stands at a position where there is none.
    package func with(_ policy: (some ChainPolicy)?, at position: ChainPosition) -> Self {
        changed { if let policy { $0.set(policy) } else { $0.remove(position) } }
    }

    /// Sets who performs the exchanges.
    public func set(transport: any Transport) -> Self { changed { $0.transport = transport } }

    /// Sets how long a call may take in all, with every wait, retry and redirect; `nil` for no limit, not even that of
    /// the code around the call.
    ///
    /// Calls that are made within this one end no later: ``CallClock/within(_:isolation:_:)``.
    /// Without it a call may take 60 s; a call whose content is streamed, or goes to or comes from a file, as long as it
    /// moves.
    public func set(deadline: Duration?) -> Self { changed { $0.deadline = deadline } }

    /// Sets the queue on which listeners without an actor of their own are called: main by default.
    public func set(responseQueue: DispatchQueue) -> Self { changed { $0.options.queue = responseQueue } }

    /// Sets the priority at which a call that is given an observer starts: `.userInitiated` by default.
    public func set(priority: TaskPriority) -> Self { changed { $0.options.priority = priority } }

    /// Sets whose calls these are: what is shared between calls is shared within one partition only.
    ///
    /// - Parameter partition: A partition, or an object that knows it at each call.
    /// - Returns: A changed copy.
    public func set(partition: any PartitionProvider) -> Self { with(PartitionPolicy(provider: partition)) }

    /// Puts a node of one's own into the byte part of the chain.
    ///
    /// Of several at one position, the one inserted first sees the request first and the response last.
    /// - Parameters:
    ///   - position: Where; nodes add up at `headers`, `call`, `attempt` and `exchange`, and at
    ///     ``ChainPosition/outside(of:_:)`` and ``ChainPosition/inside(of:_:)``, elsewhere the node replaces the policy.
    ///   - scope: Whether the responses of equal requests depend on the node; where that is unknown, nothing outside of
    ///     it is coalesced or cached.
    ///   - make: Makes the node in front of the next one.
    /// - Returns: A changed copy.
    public func insert<Inserted: Node<TransportRequest, TransportResponse>>(
        at position: ChainPosition,
        scope: PolicyScope = .unknown,
        _ make: @escaping @Sendable (Exchange) -> Inserted
    ) -> Self {
        with(InsertedPolicy(positions: [position], scope: scope) { make($0) })
    }

    /// Puts a step around the whole chain, whatever its models; the one inserted first is the outermost.
    public func insert(_ layer: some Layer) -> Self { changed { $0.layers.append(layer) } }

    package func changed(_ change: (inout ChainConfiguration) -> Void) -> Self {
        var copy = self
        change(&copy.configuration)
        return copy
    }
}

/// Says whose calls these are, and does nothing else.
struct PartitionPolicy: ChainPolicy {
    let provider: any PartitionProvider

    var positions: [ChainPosition] { [] }
    var scope: PolicyScope { .none }
    var partitionProvider: (any PartitionProvider)? { provider }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }
}
