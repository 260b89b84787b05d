public import CoreNetKitHTTP

extension CallEvent {
    /// How an attempt ended.
    public struct AttemptEnd: Sendable, Hashable {
        /// The status of its response, if there was one.
        public var status: Int?
        /// The failure; `nil` for an accepted response, and for a cancelled attempt.
        public var code: NetworkError.Code?
        /// The part of the exchange that failed.
        public var phase: TransportError.Phase?
        /// Whether the attempt was cancelled.
        public var isCancelled: Bool

        /// Creates the end of an attempt.
        public init(
            status: Int? = nil,
            code: NetworkError.Code? = nil,
            phase: TransportError.Phase? = nil,
            isCancelled: Bool = false
        ) {
            self.status = status
            self.code = code
            self.phase = phase
            self.isCancelled = isCancelled
        }

        package init(_ error: any Error) {
            let failure = error as? NetworkError
            self.init(
                status: failure?.status,
                code: failure?.code,
                phase: failure?.phase,
                isCancelled: error is CancellationError
            )
        }
    }

    /// What a retry policy decided about a failed attempt.
    public struct RetryDecision: Sendable, Hashable {
        /// Whether the attempt is repeated.
        public var isRetry: Bool
        /// The failure.
        public var code: NetworkError.Code
        /// Why it is repeated or not, if that is not obvious.
        public var reason: String?
        /// The wait before the next attempt.
        public var delay: Duration

        /// Creates a decision.
        public init(
            _ isRetry: Bool,
            after code: NetworkError.Code,
            reason: String? = nil,
            delay: Duration = .zero
        ) {
            self.isRetry = isRetry
            self.code = code
            self.reason = reason
            self.delay = delay
        }
    }

    /// The decision about a redirect.
    public struct RedirectDecision: Sendable, Hashable {
        /// The status of the response.
        public var status: Int
        /// Its target, as an absolute URL.
        public var target: String
        /// Whether it is followed.
        public var isFollowed: Bool
        /// Why it is not followed.
        public var reason: String?

        /// Creates a decision.
        public init(status: Int, target: String, isFollowed: Bool = true, reason: String? = nil) {
            self.status = status
            self.target = target
            self.isFollowed = isFollowed
            self.reason = reason
        }
    }

    /// A decision about one of several servers that serve the same origin.
    public struct EndpointDecision: Sendable, Hashable, CustomStringConvertible {
        /// What was decided.
        public enum Kind: String, Sendable, Hashable {
            /// It gets the request.
            case chosen
            /// It has failed, and gets no requests for a while.
            case ejected
            /// It gets the request to find out whether it works again.
            case probed
            /// It works again.
            case returned
        }

        /// What was decided.
        public var kind: Kind
        /// The origin of the server.
        public var member: String
        /// Why, if that is not obvious.
        public var reason: String?

        /// Creates a decision.
        public init(_ kind: Kind, _ member: String, reason: String? = nil) {
            self.kind = kind
            self.member = member
            self.reason = reason
        }

        /// The server, what was decided, and why.
        public var description: String { "\(member) is \(kind)" + (reason.map { ": \($0)" } ?? "") }
    }

    /// The tiers of a cache.
    public enum CacheTier: UInt8, Sendable, Hashable {
        /// In memory.
        case memory
        /// On disk.
        case disk
        /// In a store that several processes share.
        case shared
    }

    /// The decision of a cache about a request.
    public struct CacheOutcome: Sendable, Hashable {
        /// What the caller gets.
        public enum Kind: UInt8, Sendable, Hashable {
            /// A stored response that is fresh.
            case hit
            /// A stale response, used on purpose.
            case stale
            /// A stored response that the server confirmed.
            case validated
            /// Nothing usable was stored.
            case miss
            /// The cache was bypassed.
            case bypass
        }

        /// What the caller gets.
        public var kind: Kind
        /// Why, for a miss, a bypass or a stale response.
        public var reason: String?
        /// How old the stored response is.
        public var age: Duration?
        /// How long it stays fresh.
        public var freshFor: Duration?
        /// Where it was stored.
        public var tier: CacheTier?
        /// The status of the stored response that the caller gets.
        public var status: Int?
        /// The stored redirects that led to it, in order.
        package var redirects: [RedirectDecision] = []

        /// Creates an outcome.
        public init(
            _ kind: Kind,
            reason: String? = nil,
            age: Duration? = nil,
            freshFor: Duration? = nil,
            tier: CacheTier? = nil
        ) {
            self.kind = kind
            self.reason = reason
            self.age = age
            self.freshFor = freshFor
            self.tier = tier
        }
    }
}
