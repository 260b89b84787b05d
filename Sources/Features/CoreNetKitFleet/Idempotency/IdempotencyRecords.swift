import CoreNetKitCache
public import CoreNetKitChain
import CoreNetKitRecovery
import CoreNetKitSystem

/// Stores the responses to requests with an `Idempotency-Key`, for all processes that may send the same request.
///
/// If two processes pick up a job, its request is sent once: the first process takes a lease and sends, the others wait
/// and get the same response. If a process dies, its lease passes to the next one, which sends again with the same key,
/// as servers that accept such keys allow.
///
/// Responses with a status of 200 to 299 and up to 64 KiB of collected content are stored, sealed. Larger responses are
/// not stored, never truncated, so the next process sends its own request. Errors are not stored either.
///
/// A caller that has seen another process send waits for the end of its lease, even if the store fails meanwhile.
/// `ifStoreUnavailable:` decides about other requests while the store is unavailable. A response that cannot be opened
/// counts as an unavailable store.
///
/// The caller must be identified alike in each process: no caller, a partition with a stable name, or a client
/// certificate. Requests with credentials of their own need a partition: without one each process sends them, and emits an
/// event.
public struct IdempotencyRecords: Sendable {
    /// The maximum number of content bytes that are stored.
    public static let contentLimit = 64 << 10

    let store: any SharedStore
    let name: String
    let sealing: any Sealing
    let keepFor: Duration
    let lease: Duration
    let failurePolicy: StoreFailurePolicy
    let events: @Sendable (FleetEvent) -> Void
    /// Where the calls of this process take turns while the shared store is unavailable.
    let alone = LocalStore()

    /// Creates records in a store.
    ///
    /// - Parameters:
    ///   - store: The store that the processes share.
    ///   - name: Distinguishes these records from others in the store, the same in each process; not empty.
    ///   - sealing: How responses are sealed: ``SealingKeys``, or `.plain`, written out.
    ///   - keepFor: How long a response is stored, above zero.
    ///   - lease: How long the others wait for a sending process before the next one sends, above zero.
    ///   - policy: What happens while the store is unavailable: each process sends a request of its own (`.open`,
    ///     `.localShare`), or requests fail with `nodeFailed` (`.closed`).
    ///   - events: Receives fallbacks and responses that are not stored; must return quickly.
    public init(
        in store: any SharedStore,
        named name: String,
        sealing: some Sealing,
        keepFor: Duration = .seconds(86_400),
        lease: Duration = .seconds(60),
        ifStoreUnavailable policy: StoreFailurePolicy = .open,
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        (self.store, self.name, self.sealing, self.events) = (store, name, sealing, events)
        (self.keepFor, self.lease, self.failurePolicy) = (keepFor.bounded, lease.bounded, policy)
    }
}

extension IdempotencyRecords: BuiltInPolicy {
    private static let position = ChainPosition.inside(of: .idempotencyKey, "idempotencyRecords")

    /// After the policy that gives a request its key, before everything that repeats the request.
    package var nodePositions: [ChainPosition] { [Self.position] }
    /// None: a response belongs to its key, whatever the caller.
    package var callScope: PolicyScope { .none }
    package var settingsProblem: String? {
        if name.isEmpty { return "idempotency records need a name, as in 'shop/production'" }
        if keepFor < .milliseconds(1) { return "idempotency records are kept for at least 1 ms, not \(keepFor)" }
        if lease < .milliseconds(1) { return "the lease of idempotency records is at least 1 ms, not \(lease)" }
        if let problem = failurePolicy.problem { return "idempotency records are \(problem)" }
        return sealing.keyIDProblem
    }

    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        let callers = CallIdentitySource(parts, inside: Self.position, except: { $0 is CachePolicy })
        return IdempotencyRecordNode(next: next, records: self, callers: callers)
    }
}

extension PolicyHolder {
    /// Returns the response that another process has already received for the `Idempotency-Key`, and stores responses for
    /// other processes.
    ///
    /// Choose the keys yourself, such as a job's number: a random key never matches another process's.
    public func idempotencyRecords(_ records: IdempotencyRecords) -> Self { with(records) }
}
