public import CoreNetKitEssentials

/// The public view of one request in the outbox, without its content.
public struct OutboxEntry: Identifiable, Hashable, Sendable {
    /// The state of an entry.
    public enum State: Hashable, Sendable {
        /// Waits for its turn, for a connection, for a later time.
        case waiting
        /// In flight.
        case sending
        /// A response of status 2xx has arrived.
        case delivered(status: Int)
        /// Rejected permanently; kept until the app decides.
        case dead(String)
        /// Possibly executed, and not repeated automatically; kept until the app decides.
        case inDoubt(String)
        /// Cancelled before it was sent, or discarded.
        case cancelled
        /// Expired before it could be delivered.
        case expired
        /// Replaced by a newer entry with the same merge key.
        case replaced(by: UUID)
        /// Discarded because the outbox was full.
        case dropped

        /// Whether the outbox does nothing more by itself.
        public var isFinal: Bool {
            switch self {
            case .waiting, .sending: false
            default: true
            }
        }
    }

    /// Identifies the entry, across restarts.
    public let id: UUID
    /// Entries of one queue are sent one after the other.
    public let queue: String
    /// The kind of request, to find the responses to requests of earlier processes.
    public let kind: String
    /// The user whose tokens it needs; `nil` for any user.
    public let owner: String?
    /// When it was created.
    public let made: Date
    /// When it expires; `nil` for never.
    public let expires: Date?
    /// The state of the entry.
    public var state: State
    /// How many attempts the server may have seen.
    public var attempts: Int
    /// The status of the last response that was not a success.
    public var lastStatus: Int?
    /// Why the last attempt failed, one line without secrets.
    public var lastError: String?
}

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
