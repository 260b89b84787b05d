extension CallEvent {
    /// What a call waits for.
    public struct Wait: Sendable, Hashable {
        /// The policy that makes a call wait.
        public enum Kind: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
            /// The silence after a burst of calls.
            case pace
            /// A place among the calls under way.
            case place
            /// The time slot of a rate limit.
            case rate
            /// A token that is being refreshed.
            case token
            /// The pause before a repetition.
            case backoff
            /// The probe of an open circuit breaker.
            case breaker
            /// The response that an equal call is waiting for.
            case shared
            /// The store that several processes have in common, or the storage of a cache behind memory.
            case store

            /// The kind in a word.
            public var description: String {
                switch self {
                case .pace: "pace"
                case .place: "place"
                case .rate: "rate"
                case .token: "token"
                case .backoff: "backoff"
                case .breaker: "breaker"
                case .shared: "shared"
                case .store: "store"
                }
            }
        }

        /// How a wait ended.
        public enum End: UInt8, Sendable, Hashable {
            /// With what was waited for.
            case done
            /// With the call's deadline.
            case deadline
            /// With the call's cancellation, or because another call took over.
            case cancelled
            /// With an error.
            case failed
        }

        /// The policy that makes the call wait.
        public var kind: Kind
        /// How many callers wait already, where the policy knows.
        public var ahead: Int?
        /// How long the wait is to be, where that is known.
        public var planned: Duration?
        /// What the server asked for, where it did.
        public var askedByServer: Duration?
        /// Whether this call works for all that wait, as the one that refreshes the token does.
        public var isLeading: Bool

        /// Creates a wait.
        ///
        /// - Parameters:
        ///   - kind: The policy that makes the call wait.
        ///   - ahead: How many callers wait already.
        ///   - planned: How long the wait is to be.
        ///   - askedByServer: What the server asked for.
        ///   - isLeading: Whether this call works for all that wait.
        public init(
            _ kind: Kind,
            ahead: Int? = nil,
            planned: Duration? = nil,
            askedByServer: Duration? = nil,
            isLeading: Bool = false
        ) {
            self.kind = kind
            self.ahead = ahead
            self.planned = planned
            self.askedByServer = askedByServer
            self.isLeading = isLeading
        }
    }
}
