public import CoreNetKitChain

/// Lets only some calls of a key pass.
struct PacePolicy: ChainPolicy {
    enum Kind: Sendable {
        /// The first of each interval.
        case first
        /// The last of a burst.
        case last
        /// Each, until the next one comes.
        case latest
    }

    let kind: Kind
    let key: String
    var interval = Duration.zero
    let debouncer: Debouncer

    var positions: [ChainPosition] { [.pace] }
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
    /// Holds each call back until no other of its key has come for a while; the earlier ones end as cancelled.
    ///
    /// One that is on its way already is cancelled too when the next call comes: its response would be a stale one.
    ///
    /// - Parameters:
    ///   - key: What the calls have in common.
    ///   - interval: How long there must be silence, above zero.
    ///   - debouncer: Remembers the calls; shared by all chains that pace each other.
    /// - Returns: A changed copy.
    public func debounce(_ key: String, for interval: Duration, in debouncer: Debouncer) -> Self {
        with(PacePolicy(kind: .last, key: key, interval: interval, debouncer: debouncer))
    }

    /// Cancels the running call of a key when the next one comes, so that a stale response never wins.
    ///
    /// - Parameters:
    ///   - key: What the calls have in common.
    ///   - debouncer: Remembers the calls; shared by all chains that overtake each other.
    /// - Returns: A changed copy.
    public func latest(_ key: String, in debouncer: Debouncer) -> Self {
        with(PacePolicy(kind: .latest, key: key, debouncer: debouncer))
    }

    /// Lets the first call of a key through and no other for a while; the others end as cancelled, at once.
    ///
    /// - Parameters:
    ///   - key: What the calls have in common.
    ///   - interval: How long no other passes, above zero.
    ///   - debouncer: Remembers the calls; shared by all chains that pace each other.
    /// - Returns: A changed copy.
    public func throttle(_ key: String, for interval: Duration, in debouncer: Debouncer) -> Self {
        with(PacePolicy(kind: .first, key: key, interval: interval, debouncer: debouncer))
    }
}
