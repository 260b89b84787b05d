public import CoreNetKitChain

/// Passes only some calls of a key.
struct PacePolicy: ChainPolicy {
    enum Kind: Sendable {
        /// The first of each interval.
        case first
        /// The last of a burst.
        case last
        /// Each call, until the next one arrives.
        case latest
    }

    let kind: Kind
    let key: String
    var interval = Duration.zero
    let debouncer: Debouncer

    var positions: [ChainPosition] { [PaceNode.position] }
    var scope: PolicyScope { .none }
    /// The problem of the settings, on one line; with one, every call fails with `invalidChain`.
    public var problem: String? {
        kind == .latest || interval > .zero ? nil : "the interval of \(interval) is not above zero"
    }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        PaceNode(next: next, pace: self)
    }
}

extension PolicyHolder {
    /// Delays each call until no other call of its key has arrived for an interval; the earlier ones end as cancelled.
    ///
    /// A call that was already sent is cancelled too when the next one arrives, because its response would be stale.
    ///
    /// - Parameters:
    ///   - key: Identifies the calls that belong together.
    ///   - interval: The required time without a call, above zero.
    ///   - debouncer: The state of the calls; shared by all chains that pace each other.
    /// - Returns: A changed copy.
    public func debounce(_ key: String, for interval: Duration, in debouncer: Debouncer) -> Self {
        with(PacePolicy(kind: .last, key: key, interval: interval, debouncer: debouncer))
    }

    /// Cancels the running call of a key when the next one arrives, so that a stale response never wins.
    ///
    /// - Parameters:
    ///   - key: Identifies the calls that belong together.
    ///   - debouncer: The state of the calls; shared by all chains that supersede each other.
    /// - Returns: A changed copy.
    public func latest(_ key: String, in debouncer: Debouncer) -> Self {
        with(PacePolicy(kind: .latest, key: key, debouncer: debouncer))
    }

    /// Passes the first call of a key and no other for an interval; the others end as cancelled, at once.
    ///
    /// - Parameters:
    ///   - key: Identifies the calls that belong together.
    ///   - interval: The time during which no other call passes, above zero.
    ///   - debouncer: The state of the calls; shared by all chains that pace each other.
    /// - Returns: A changed copy.
    public func throttle(_ key: String, for interval: Duration, in debouncer: Debouncer) -> Self {
        with(PacePolicy(kind: .first, key: key, interval: interval, debouncer: debouncer))
    }
}
