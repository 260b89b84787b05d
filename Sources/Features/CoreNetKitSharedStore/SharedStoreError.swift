import CoreNetKitSystem

/// An error in a call of a store.
public struct SharedStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of failure: an open set, new codes may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The store has failed several times and is skipped for a while, see ``GuardedStore``; its text is
        /// `away`.
        public static let unavailable = Code("away")
        /// There is no connection, it was lost, it reaches no store, or the store reports that it is not ready.
        public static let unreachable = Code("unreachable")
        /// The call has timed out.
        public static let timedOut = Code("timedOut")
        /// The store rejected the call: a wrong password, a missing right, no memory left.
        public static let refused = Code("refused")
        /// The server is not supported: it is part of a cluster, or its version is too old.
        public static let unsupported = Code("unsupported")
        /// The request is invalid: a lifetime of zero, a bucket without tokens.
        public static let invalid = Code("invalid")
        /// The value under the key was not written by this package.
        public static let corrupt = Code("corrupt")
        /// The task was cancelled.
        public static let cancelled = Code("cancelled")

        /// The code's name.
        public var description: String { name }
    }

    /// The class of failure.
    public let code: Code
    /// What happened, where, and what to do; without secrets.
    public let message: String
    /// Whether the store may have executed the call despite the error.
    public let mayBeDone: Bool
    /// How long to wait before the next call, if known.
    public let retryAfter: Duration?

    /// Creates an error, for stores.
    public init(_ code: Code, _ message: String, mayBeDone: Bool = false, retryAfter: Duration? = nil) {
        (self.code, self.message) = (code, message)
        (self.mayBeDone, self.retryAfter) = (mayBeDone, retryAfter)
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    /// Whether the store is unavailable for now, through no fault of the caller.
    public var isUnavailable: Bool { [.unavailable, .unreachable, .timedOut].contains(code) }
}

extension Duration {
    /// A lifetime in whole milliseconds, at least one and at most ``Duration/forever``; below that it throws `invalid`.
    package func lifeInMilliseconds() throws(SharedStoreError) -> Int64 {
        guard self >= .milliseconds(1) else {
            throw SharedStoreError(.invalid, "what is shared is kept for at least a millisecond, not \(self)")
        }
        return bounded.wholeMilliseconds
    }
}

extension SharedValue {
    /// Rejects a value that is too large, as `invalid`.
    package static func check(size: Int) throws(SharedStoreError) {
        guard size > limit else { return }
        throw SharedStoreError(.invalid, "a shared value has at most \(limit) bytes, not \(size): keep it elsewhere")
    }
}
