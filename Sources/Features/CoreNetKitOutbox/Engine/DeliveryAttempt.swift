import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// One attempt to make.
struct DeliveryAttempt: Sendable {
    let number: UInt64
    let entry: OutboxEntry
    let request: TransportRequest
    /// The owner whose tokens it needs, as stored.
    let owner: String?
    /// The session of the client's tokens when its turn began.
    let session: Partition.Session?
    /// Whether the app itself has named this owner.
    let isOwnerNamed: Bool
    /// Whether it may be sent again when its outcome is unknown.
    let isRepeatable: Bool
    /// Whether a handler runs it, rather than a client.
    let isJob: Bool
    /// The values before this attempt, restored if it turns out not to count.
    let attemptsBefore: Int
    let firstSentBefore: WallMoment?
}
