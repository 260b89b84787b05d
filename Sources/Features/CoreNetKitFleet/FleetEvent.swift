public import CoreNetKitSharedStore

/// Something that what a fleet shares had to do without, or found out: for logs and counters.
public struct FleetEvent: Sendable, CustomStringConvertible {
    /// What is shared.
    public enum Feature: String, Sendable, Hashable, CaseIterable {
        /// A login.
        case tokens
        /// A rate.
        case rate
        /// The outcomes of requests.
        case idempotency
        /// Stored responses.
        case cache
        /// Circuits of servers that fail.
        case breaker
    }

    /// The class of event: an open set.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The store did not do what it was asked for, and this process went on by itself, as its policy says.
        public static let fellBack = Kind("fellBack")
        /// What the others are to know could not be stored yet; it is tried again.
        public static let delayed = Kind("delayed")
        /// What the others are to know is not tried again by itself: the store refuses it, at once or for an hour.
        public static let givenUp = Kind("givenUp")
        /// A refresh has an unknown outcome: its process has ended, or was cut off.
        public static let lostRefresh = Kind("lostRefresh")
        /// The store had lost what this process knew of a login, and was told again.
        public static let restored = Kind("restored")
        /// A response is not kept for the other processes.
        public static let notKept = Kind("notKept")
        /// A request went beyond the rate, and passed, since the limiter only watches.
        public static let overLimit = Kind("overLimit")
        /// A circuit opened after fewer failures of its own, since it was open in another process.
        public static let openedEarly = Kind("openedEarly")

        /// The kind's name.
        public var description: String { name }
    }

    /// What is shared.
    public let feature: Feature
    /// The class of event.
    public let kind: Kind
    /// One line fit for a log; without secrets.
    public let message: String
    /// What the store said.
    public let cause: SharedStoreError?

    init(_ feature: Feature, _ kind: Kind, _ message: String, cause: SharedStoreError? = nil) {
        (self.feature, self.kind, self.message, self.cause) = (feature, kind, message, cause)
    }

    /// Feature and kind, as in `rate.fellBack`: a label for counters, one of few.
    public var name: String { "\(feature.rawValue).\(kind)" }

    /// One line fit for a log.
    public var description: String {
        "\(feature.rawValue) \(kind): \(message)" + (cause.map { " (\($0))" } ?? "")
    }
}
