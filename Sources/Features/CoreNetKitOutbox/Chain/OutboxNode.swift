import CoreNetKitChain
import CoreNetKitHTTP

/// Stores a request instead of sending it: the last node of a chain that ends in an outbox.
///
/// in: `TransportRequest`, out: ``OutboxReceipt``.
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
            let options = try completed(
                for: input,
                of: options.user ?? context.partition,
                hasOwner: hasOwner,
                context.secrets
            )
            let receipt = try await policy.outbox.enqueue(input, options)
            context.record(.info, id, "stored as \(receipt.id)")
            return receipt
        } catch let error as OutboxError {
            throw NetworkError(.notStored, error.message, node: id, cause: error)
        }
    }

    private func completed(
        for request: TransportRequest,
        of partition: Partition,
        hasOwner: Bool,
        _ secrets: SecretRules
    ) throws(OutboxError) -> EnqueueOptions {
        var options = options
        options.secrets = secrets
        // The check below handles a name that is not stable across processes: it depends on a named owner.
        options.isOfChain = partition.isAnonymous
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
