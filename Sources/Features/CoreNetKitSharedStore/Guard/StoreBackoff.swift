import CoreNetKitSystem

/// Decides whether a failing store is called: after three consecutive failures it rests, longer each time.
struct StoreBackoff: Sendable {
    /// The kind of call that was let through.
    enum CallKind: Sendable {
        case ordinary
        /// The single call that probes whether the store is back.
        case probe
    }

    static let failures = 3
    static let shortest = Duration.milliseconds(200)
    static let longest = Duration.seconds(5)

    private var inARow = 0
    private var length = StoreBackoff.shortest
    private var end: Duration?
    private var isProbed = false

    /// Whether the store is resting.
    var isResting: Bool { end != nil }

    /// Lets a call through to the store.
    ///
    /// - Throws: ``SharedStoreError`` with code `unavailable` while the store rests.
    mutating func enter(at now: Duration) throws(SharedStoreError) -> CallKind {
        guard let end else { return .ordinary }
        guard now >= end, !isProbed else {
            throw SharedStoreError(
                .unavailable,
                "the store has failed \(StoreBackoff.failures) or more times in a row and is not asked for now",
                retryAfter: max(end - now, .zero)
            )
        }
        isProbed = true
        return .probe
    }

    /// Ends the rest: the store has executed or refused a call.
    mutating func succeeded() { self = StoreBackoff() }

    mutating func failed(_ kind: CallKind, at now: Duration) {
        switch kind {
        case .probe:
            isProbed = false
            length = length.doubled(1, upTo: StoreBackoff.longest)
            end = now + length
        case .ordinary:
            inARow += 1
            if end == nil, inARow >= StoreBackoff.failures { end = now + length }
        }
    }

    /// Ends a call that was cancelled, which says nothing about the store.
    mutating func leave(_ kind: CallKind) {
        if case .probe = kind { isProbed = false }
    }
}
