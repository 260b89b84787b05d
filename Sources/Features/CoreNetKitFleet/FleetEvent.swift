/// An event in the shared state of a fleet, such as a fallback or a lost refresh, for logs and counters.
public struct FleetEvent: Sendable, CustomStringConvertible {
    /// A feature that processes share.
    public enum Feature: String, Sendable, Hashable, CaseIterable {
        /// A login and its credential.
        case tokens
        /// A rate limit.
        case rate
        /// Responses to requests with an idempotency key.
        case idempotency
        /// Cached responses.
        case cache
        /// Circuit breakers.
        case breaker
    }

    /// The kind of event: an open set.
    ///
    /// The texts of three kinds are those of before 1.0, `fellBack`, `givenUp` and `notKept`, because counters have them.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// A call to the store failed, and this process continued on its own, as its policy says.
        public static let fallback = Kind("fellBack")
        /// A change could not be stored for the other processes yet; it is retried.
        public static let delayed = Kind("delayed")
        /// A change is no longer retried automatically: the store rejected it as invalid, or refused it for an hour.
        public static let abandoned = Kind("givenUp")
        /// A refresh has an unknown outcome: its process ended or was cut off.
        public static let lostRefresh = Kind("lostRefresh")
        /// The store had lost a login that this process knew, and got it back.
        public static let restored = Kind("restored")
        /// A response is not stored for the other processes.
        public static let notStored = Kind("notKept")
        /// A request exceeded the rate and was sent anyway, because the limiter only observes.
        public static let overLimit = Kind("overLimit")
        /// A circuit opened after fewer failures than usual, because it was already open in another process.
        public static let openedEarly = Kind("openedEarly")

        /// The kind's name.
        public var description: String { name }
    }

    /// The shared feature.
    public let feature: Feature
    /// The kind of event.
    public let kind: Kind
    /// One line for a log, without secrets.
    public let message: String
    /// The error of the store, if there was one.
    public let cause: SharedStoreError?

    init(_ feature: Feature, _ kind: Kind, _ message: String, cause: SharedStoreError? = nil) {
        (self.feature, self.kind, self.message, self.cause) = (feature, kind, message, cause)
    }

    /// Feature and kind, as in `rate.fellBack`: a label of low cardinality for counters.
    public var name: String { "\(feature.rawValue).\(kind)" }

    /// One line for a log.
    public var description: String { "\(feature.rawValue) \(kind): \(message)" + (cause.map { " (\($0))" } ?? "") }
}

/// What happens to a request while the store of a shared rate, of ``IdempotencyRecords`` or of a ``SharedCacheStorage`` is
/// unavailable.
public enum StoreFailurePolicy: Sendable, Hashable {
    /// Each process sends its share of the rate, so that together they never exceed it, as long as there are at most this
    /// many processes. The number also lets a process take the tokens for 10 ms at once. Records and a cache work within
    /// the process.
    case localShare(of: Int)
    /// Requests pass: for a rate that only limits costs. Records and a cache work within the process.
    case open
    /// Requests fail, with `rateLimited` for a rate and `nodeFailed` otherwise: for limits that must hold.
    case closed

    /// The problem, as the end of a sentence.
    var problem: String? {
        guard case .localShare(let processes) = self, !(1...10_000).contains(processes) else { return nil }
        return "shared by 1...10 000 processes, not \(processes)"
    }
}
