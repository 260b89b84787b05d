import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// One attempt that is to be made.
struct DeliveryJob: Sendable {
    let number: UInt64
    let entry: OutboxEntry
    let request: TransportRequest
    /// Whose tokens it needs, as it is stored.
    let owner: String?
    /// The login whose tokens the client had when its turn came.
    let session: Partition.Session?
    /// Whether the app has said itself that the tokens are that owner's.
    let isOwnerNamed: Bool
    /// Whether it may be sent again when its outcome is not known.
    let isRepeatable: Bool
    /// Whether somebody carries it out, rather than a client.
    let isErrand: Bool
    /// What it was before this attempt, for an attempt that turns out to be none.
    let attemptsBefore: Int
    let firstSentBefore: WallMoment?
}
