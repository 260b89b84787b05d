public import CoreNetKitEssentials

/// What the outbox knows of one request, without its content.
public struct OutboxEntry: Identifiable, Hashable, Sendable {
    /// Where an entry stands.
    public enum State: Hashable, Sendable {
        /// Waits for its turn, for a connection, for a later time.
        case waiting
        /// On its way.
        case sending
        /// A response of status 2xx has come.
        case delivered(status: Int)
        /// Rejected permanently; kept until the app decides.
        case dead(String)
        /// Possibly executed, and not repeated automatically; kept until the app decides.
        case inDoubt(String)
        /// Cancelled before it was sent, or discarded.
        case cancelled
        /// Its time was over before it could be delivered.
        case expired
        /// A newer entry with the same merge key has taken its place.
        case replaced(by: UUID)
        /// Given up because the outbox was full.
        case dropped

        /// Whether the outbox does nothing more by itself.
        public var isFinal: Bool {
            switch self {
            case .waiting, .sending: false
            default: true
            }
        }
    }

    /// Names the entry, across restarts.
    public let id: UUID
    /// Entries of one queue are sent one after the other.
    public let queue: String
    /// The kind of request, to find the responses to requests of earlier processes.
    public let kind: String
    /// The user whose tokens it needs; `nil` for any user.
    public let owner: String?
    /// When it was made.
    public let made: Date
    /// When it is no longer useful.
    public let expires: Date?
    /// Where it stands.
    public var state: State
    /// How many attempts the server may have seen.
    public var attempts: Int
    /// The last response that was no success.
    public var lastStatus: Int?
    /// Why the last attempt failed, one line without secrets.
    public var lastError: String?
}
