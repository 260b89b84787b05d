public import CoreNetKitChain
public import CoreNetKitSharedStore
import CoreNetKitSystem

/// Remembers the responses to requests with an `Idempotency-Key`, for all processes that may send the same one.
///
/// A job that two processes have picked up sends its request once: the first one to come takes a lease and sends, the others
/// wait and get the same response. A process that dies leaves its lease to the next one, which sends again with the same key,
/// as the server of such keys allows.
///
/// Kept are responses with a status of 200 to 299 and collected content of up to 64 KiB, sealed. What is larger is not kept,
/// never cut: the next process sends. An error is not kept either. While the store is away every process sends.
public struct IdempotencyRecords: Sendable {
    /// The maximum number of bytes of content that are kept.
    public static let contentLimit = 64 << 10

    let store: any SharedStore
    let name: String
    let sealing: any Sealing
    let keepFor: Duration
    let lease: Duration
    let events: @Sendable (FleetEvent) -> Void

    /// Keeps records in a store.
    ///
    /// - Parameters:
    ///   - store: What the processes have in common.
    ///   - name: Distinguishes these records from others in the store, the same in each process; not empty.
    ///   - sealing: How responses are sealed: ``SealingKeys``, or `.plain`, written out.
    ///   - keepFor: How long a response is kept, above zero.
    ///   - lease: How long the others wait for a process that sends; then the next one does. Above zero.
    ///   - events: Told what had to be done without the store, and of responses that are not kept; must be quick.
    public init(
        in store: any SharedStore,
        named name: String,
        sealing: some Sealing,
        keepFor: Duration = .seconds(86_400),
        lease: Duration = .seconds(60),
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        (self.store, self.name, self.sealing, self.events) = (store, name, sealing, events)
        (self.keepFor, self.lease) = (keepFor.bounded, lease.bounded)
    }
}

extension IdempotencyRecords: ChainPolicy {
    private static let position = ChainPosition.inside(of: .idempotencyKey, "idempotencyRecords")

    /// Inside what gives a request its key, outside everything that repeats it.
    public var positions: [ChainPosition] { [Self.position] }
    /// Responses are those of the key, whoever asks.
    public var scope: PolicyScope { .none }
    /// The problem of the settings, on one line; with one, every call fails with `invalidChain`.
    public var problem: String? {
        if name.isEmpty { return "idempotency records need a name, as in 'shop/production'" }
        if keepFor < .milliseconds(1) { return "idempotency records are kept for at least 1 ms, not \(keepFor)" }
        if lease < .milliseconds(1) { return "the lease of idempotency records is at least 1 ms, not \(lease)" }
        return (1...255).contains(sealing.keyID.utf8.count)
            ? nil : "the id of the sealing key has \(sealing.keyID.utf8.count) bytes; it may have 1 to 255"
    }

    /// Makes the node.
    ///
    /// - Parameters:
    ///   - position: The position.
    ///   - next: The node after it.
    ///   - parts: The transport, the clock and the shared objects of the chain.
    /// - Returns: The node.
    public func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        IdempotencyRecordNode(next: next, records: self)
    }
}

extension PolicyHolder {
    /// Returns the response that another process has already received for the `Idempotency-Key`, and keeps responses
    /// for others.
    ///
    /// The keys are the caller's, the number of a job for example: a random one is no other process's.
    /// - Parameter records: Where responses are kept.
    /// - Returns: A changed copy.
    public func idempotencyRecords(_ records: IdempotencyRecords) -> Self { with(records) }
}
