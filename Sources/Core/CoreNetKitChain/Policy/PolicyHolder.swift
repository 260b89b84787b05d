public import CoreNetKitHTTP
public import Dispatch

/// The common part of a client and a builder: policies add their methods and settings as extensions of it.
public protocol PolicyHolder: Sendable {
    /// Transport, policies, and how calls run.
    var configuration: ChainConfiguration { get set }
}

extension PolicyHolder {
    /// Sets a policy: it replaces the one at the same positions, or is added where policies accumulate.
    public func with(_ policy: some ChainPolicy) -> Self { changed { $0.set(policy) } }

    /// Removes the policies of a position, including those of the client.
    public func without(_ position: ChainPosition) -> Self { changed { $0.remove(position) } }

    /// Sets a policy, or, with `nil`, removes the policies of a position.
    package func with(_ policy: (some ChainPolicy)?, at position: ChainPosition) -> Self {
        changed { if let policy { $0.set(policy) } else { $0.remove(position) } }
    }

    /// Sets the transport that performs the exchanges.
    public func set(transport: any Transport) -> Self { changed { $0.transport = transport } }

    /// Sets how long a call may take in all, with every wait, retry and redirect; `nil` for no limit, not even that of
    /// the surrounding code.
    ///
    /// Nested calls end no later: ``CallClock/within(_:isolation:_:)``. The default is 60 s; a call whose content is
    /// streamed, or is read from or written to a file, has no limit while it makes progress.
    public func set(deadline: Duration?) -> Self { changed { $0.deadline = deadline } }

    /// Sets the queue for listeners that are not isolated to an actor: main by default.
    public func set(responseQueue: DispatchQueue) -> Self { changed { $0.options.queue = responseQueue } }

    /// Sets the priority at which a call with an observer starts: `.userInitiated` by default.
    public func set(priority: TaskPriority) -> Self { changed { $0.options.priority = priority } }

    /// Sets the user of the calls, read for each call: calls share data only within one partition.
    public func set(partition: any PartitionProvider) -> Self { with(PartitionPolicy(provider: partition)) }

    /// Inserts a custom node into the byte part of the chain.
    ///
    /// Of several at one position, the one inserted first sees the request first and the response last. Nodes
    /// accumulate at `headers`, `call`, `attempt` and `exchange`, and at `ChainPosition.outside(of:_:)` and
    /// `ChainPosition.inside(of:_:)`; at any other position the node replaces the policy. The scope says whether the
    /// responses to equal requests depend on the node; if that is unknown, nothing outside it is coalesced or cached.
    public func insert<Inserted: Node<TransportRequest, TransportResponse>>(
        at position: ChainPosition,
        scope: PolicyScope = .unknown,
        _ make: @escaping @Sendable (Exchange) -> Inserted
    ) -> Self {
        with(InsertedPolicy(positions: [position], scope: scope) { make($0) })
    }

    /// Adds a layer around the whole chain, whatever its models; the one inserted first is the outermost.
    public func insert(_ layer: some Layer) -> Self { changed { $0.layers.append(layer) } }

    /// The same without an error model, for code that decides by the original errors.
    package var withoutErrorModel: Self { changed { $0.options.errorModel = nil } }

    package func changed(_ change: (inout ChainConfiguration) -> Void) -> Self {
        var copy = self
        change(&copy.configuration)
        return copy
    }
}

/// Sets only the user of the calls.
struct PartitionPolicy: ChainPolicy {
    let provider: any PartitionProvider

    var positions: [ChainPosition] { [] }
    var scope: PolicyScope { .none }
    var partitionProvider: (any PartitionProvider)? { provider }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }
}

extension PolicyHolder {
    /// Sets what is secret: secret values never cross origins, make responses specific to a user, are kept only in
    /// memory, and are removed from logs and records.
    ///
    /// ```swift
    /// let client = Client().secrets(
    ///     .standard.adding(fields: ["X-Corp-Id"], members: ["ssn"]).exempting(fields: ["X-Session-Color"])
    /// )
    /// ```
    /// - Parameter rules: The rules; they replace those set before.
    /// - Returns: A changed copy. Its calls fail with `invalidChain` if the rules exempt `Authorization`,
    ///   `Proxy-Authorization`, `Cookie` or `Set-Cookie`.
    public func secrets(_ rules: SecretRules) -> Self {
        changed { configuration in
            configuration.options.secrets = rules
            configuration.options.problem = rules.problem
        }
    }
}
