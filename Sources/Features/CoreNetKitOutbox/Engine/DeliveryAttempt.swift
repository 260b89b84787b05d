import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// One attempt to make.
struct DeliveryAttempt: Sendable {
    /// The entry, in flight: its attempts include this one.
    let entry: IndexedEntry
    let request: TransportRequest
    /// The session of the client's tokens when its turn began.
    let session: Partition.Session?
    /// Whether the app itself has named the entry's owner.
    let isOwnerNamed: Bool
    /// Whether it may be sent again when its outcome is unknown.
    let isRepeatable: Bool
    /// The entry's value before this attempt, restored if it turns out not to count.
    let firstSentBefore: WallMoment?

    var number: UInt64 { entry.number }
}
