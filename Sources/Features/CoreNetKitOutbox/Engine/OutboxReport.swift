public import CoreNetKitEssentials

/// An event in the outbox that no caller asked for, always reported, see ``Outbox/State-swift.struct/reports``.
public enum OutboxReport: Hashable, Sendable {
    /// Stretches of the files were damaged; they lie in the folder `quarantine`, their entries are lost.
    case damaged(places: Int, bytes: Int)
    /// An entry was given up because the outbox was full.
    case dropped(UUID)
    /// An entry's time was over.
    case expired(UUID)
    /// An entry is dead, with the reason.
    case dead(UUID, String)
    /// It is unknown whether an entry was executed.
    case inDoubt(UUID, String)
    /// The file system refused something; nothing is lost, but something may be done again.
    case storage(String)
}
