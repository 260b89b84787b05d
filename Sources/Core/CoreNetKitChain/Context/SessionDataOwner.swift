/// An object that stores a user's data, and deletes it when the user signs out: a cache, a cookie jar, an outbox.
///
/// A policy names its owner of data (``ChainPolicy/keeper``); `PolicyHolder.signOut(within:keeping:and:)` asks all of them.
public protocol SessionDataOwner: Sendable {
    /// The kind of its data: a sign-out may choose to keep it.
    var kind: SignOut.Kind { get }

    /// Removes a user's data, and returns when none of it can be stored again.
    ///
    /// The session has ended by then: none of its calls starts any more, but some may still run, and a new session may
    /// have begun, even of the same user.
    /// - Throws: The reason why data remains.
    func removeData(of session: Partition.Session) async throws
}

/// The result of a sign-out.
public struct SignOut: Sendable, CustomStringConvertible {
    /// The kind of data that an owner stores.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// The kind of your own data, named by a word for people.
        public init(_ name: String) { self.name = name }

        /// The tokens of a refresher; always removed.
        public static let tokens = Kind("tokens")
        /// Exchanges that calls share; always removed.
        public static let exchanges = Kind("exchanges")
        /// Stored responses.
        public static let responses = Kind("responses")
        /// Cookies.
        public static let cookies = Kind("cookies")
        /// Requests that wait for delivery.
        public static let requests = Kind("requests")

        /// The word.
        public var description: String { name }
    }

    /// An owner that did not finish in time, or failed.
    public struct Leftover: Sendable {
        /// The kind of the remaining data.
        public let kind: Kind
        /// The error, or `deadlineExceeded` if the owner took too long.
        public let error: any Error
    }

    /// The owners with remaining data; empty if everything that should be removed was removed.
    public let leftovers: [Leftover]

    /// Whether no data remains.
    public var isComplete: Bool { leftovers.isEmpty }

    /// The remaining data, in words.
    public var description: String {
        isComplete ? "signed out" : "signed out; left: " + leftovers.map { "\($0.kind)" }.joined(separator: ", ")
    }
}
