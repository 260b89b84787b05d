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
        /// Refused for good; kept until somebody decides.
        case dead(String)
        /// Perhaps carried out, perhaps not, and not to be repeated by itself; kept until somebody decides.
        case inDoubt(String)
        /// Taken back before it was sent, or given up by somebody.
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
    /// What sort of request it is, for those who want the responses of earlier processes.
    public let kind: String
    /// Whose tokens it needs; `nil` for anybody's.
    public let owner: String?
    /// When it was made.
    public let made: Date
    /// When it is of no use any more.
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
