/// Something that keeps what belongs to a user, and lets go of it when the user signs out: a cache, a jar, an outbox.
///
/// A policy names its keeper (``ChainPolicy/keeper``); `PolicyHolder.signOut(within:keeping:and:)` asks all of them.
public protocol SessionKeeper: Sendable {
    /// What it keeps: who signs a user out may choose to keep it.
    var kept: SignOut.Kind { get }

    /// Removes what it keeps of a user, and returns when nothing of it can come back.
    ///
    /// The session has ended by then: no call of it begins any more, but some may still be under way, and a new session may
    /// have begun, even of the same user.
    /// - Parameter session: The session that has ended.
    /// - Throws: Why something is left.
    func letGo(of session: Partition.Session) async throws
}

/// What became of a sign-out.
public struct SignOut: Sendable, CustomStringConvertible {
    /// What a keeper keeps.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// The kind of a keeper of one's own.
        ///
        /// - Parameter name: A word for people.
        public init(_ name: String) { self.name = name }

        /// The tokens of a refresher; always let go.
        public static let tokens = Kind("tokens")
        /// Exchanges that calls share; always let go.
        public static let exchanges = Kind("exchanges")
        /// Stored responses.
        public static let responses = Kind("responses")
        /// Cookies.
        public static let cookies = Kind("cookies")
        /// Requests that wait to be delivered.
        public static let requests = Kind("requests")

        /// The word.
        public var description: String { name }
    }

    /// Who had not let go in time, or could not.
    public struct Leftover: Sendable {
        /// What is left.
        public let kind: Kind
        /// Why.
        public let error: any Error
    }

    /// What is left; empty when everything has gone that was not to be kept.
    public let leftovers: [Leftover]

    /// Whether nothing is left.
    public var isComplete: Bool { leftovers.isEmpty }

    /// What is left, in words.
    public var description: String {
        isComplete ? "signed out" : "signed out; left: " + leftovers.map { "\($0.kind)" }.joined(separator: ", ")
    }
}
