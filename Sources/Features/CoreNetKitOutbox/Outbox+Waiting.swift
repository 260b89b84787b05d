public import CoreNetKitChain
import CoreNetKitHTTP

extension Outbox {
    /// A request that is not delivered yet.
    public struct Waiting: Sendable {
        /// What the outbox knows of the request.
        public let entry: OutboxEntry
        /// The request with its key.
        public let request: OutboxRequest
        /// The receipt, as returned to the caller that stored the request in this process.
        public let receipt: OutboxReceipt
    }

    /// The requests of a kind that wait or are in flight, including those of earlier processes: for a user interface that
    /// shows what is not delivered yet.
    ///
    /// - Parameters:
    ///   - kind: The kind given to `enqueue`.
    ///   - user: The user of the requests; anonymous for those without a user.
    /// - Returns: The requests in order; none if another process delivers.
    /// - Throws: ``OutboxError`` with code `notReady` when the folder cannot be read.
    public func waiting(_ kind: String, of user: Partition = .anonymous) async throws -> [Waiting] {
        try await opened.waiting(kind, owner: user.isAnonymous ? nil : user.name)
    }
}

extension OutboxEngine {
    func waiting(_ kind: String, owner: String?) throws(OutboxError) -> [Outbox.Waiting] {
        try ready()
        guard folderState.role == .delivering, let log else { return [] }
        let entries = index.entries.values
            .filter { $0.kind == kind && $0.owner == owner && !$0.state.isFinal && !$0.isJob }
            .sorted { ($0.position, $0.number) < ($1.position, $1.number) }
        var found: [Outbox.Waiting] = []
        for entry in entries {
            // A damaged entry is reported when its turn comes.
            guard let (head, stored) = try? stored(entry.number, in: log) else { continue }
            let state = callers.receipts[entry.id] ?? ReceiptState(id: entry.id)
            callers.receipts[entry.id] = state
            state.set(entry.state)
            found.append(
                Outbox.Waiting(
                    entry: entry.summary,
                    request: OutboxRequest(stored),
                    receipt: OutboxReceipt(head: head, state: state)
                )
            )
        }
        return found
    }
}
