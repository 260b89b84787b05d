extension CallEvent {
    /// A wait of a call.
    public struct Wait: Sendable, Hashable {
        /// The policy that makes a call wait.
        public enum Kind: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
            /// The silence after a burst of calls.
            case pace
            /// The limit of concurrent calls; the description is `place`.
            case concurrency
            /// The time slot of a rate limit.
            case rate
            /// A token that is being refreshed.
            case token
            /// The pause before another attempt.
            case backoff
            /// The probe of an open circuit breaker.
            case breaker
            /// The response that an equal call is waiting for.
            case shared
            /// A store shared by several processes, or a cache's storage beyond memory.
            case store

            /// The kind in a word.
            public var description: String {
                switch self {
                case .pace: "pace"
                case .concurrency: "place"
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
            /// The wait succeeded.
            case done
            /// The call's deadline passed.
            case deadline
            /// The call was cancelled, or another call took the work over.
            case cancelled
            /// It failed with an error.
            case failed
        }

        /// The policy that makes the call wait.
        public var kind: Kind
        /// How many callers are already waiting, if the policy knows.
        public var ahead: Int?
        /// The expected length of the wait, if known.
        public var planned: Duration?
        /// The wait that the server asked for, if any.
        public var askedByServer: Duration?
        /// Whether this call does the work that all others wait for, such as refreshing the token.
        public var isLeading: Bool

        /// Creates a wait.
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
