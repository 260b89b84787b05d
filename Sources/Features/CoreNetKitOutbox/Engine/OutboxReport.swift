public import CoreNetKitEssentials

/// An event that no caller asked for, always reported, see ``Outbox/State-swift.struct/reports``.
public enum OutboxReport: Hashable, Sendable {
    /// Parts of the files were damaged; they are in the folder `quarantine`, and their entries are lost.
    case damaged(places: Int, bytes: Int)
    /// An entry was discarded because the outbox was full.
    case dropped(UUID)
    /// An entry expired.
    case expired(UUID)
    /// An entry is dead, with the reason.
    case dead(UUID, String)
    /// It is unknown whether an entry was executed.
    case inDoubt(UUID, String)
    /// The file system refused an operation; nothing is lost, but a request may be repeated.
    case storage(String)
}
