import CoreNetKitSystem

/// Whether a store that has failed is called: after three failures in a row it rests, for longer each time.
struct StoreRest: Sendable {
    /// Why a call was let through.
    enum Turn: Sendable {
        case ordinary
        /// The one call that finds out whether the store is back.
        case probe
    }

    static let failures = 3
    static let shortest = Duration.milliseconds(200)
    static let longest = Duration.seconds(5)

    private var inARow = 0
    private var length = StoreRest.shortest
    private var end: Duration?
    private var isProbed = false

    /// Whether the store is resting.
    var isResting: Bool { end != nil }

    /// Lets a call through to the store.
    ///
    /// - Throws: ``SharedStoreError`` with code `away` while it rests.
    mutating func enter(at now: Duration) throws(SharedStoreError) -> Turn {
        guard let end else { return .ordinary }
        guard now >= end, !isProbed else {
            throw SharedStoreError(
                .away,
                "the store has failed \(StoreRest.failures) or more times in a row and is not asked for now",
                retryAfter: max(end - now, .zero)
            )
        }
        isProbed = true
        return .probe
    }

    /// The store did what was requested, or said why not.
    mutating func succeeded() { self = StoreRest() }

    mutating func failed(_ turn: Turn, at now: Duration) {
        switch turn {
        case .probe:
            isProbed = false
            length = length.doubled(1, upTo: StoreRest.longest)
            end = now + length
        case .ordinary:
            inARow += 1
            if end == nil, inARow >= StoreRest.failures { end = now + length }
        }
    }

    /// The caller has gone: nothing new was learned.
    mutating func leave(_ turn: Turn) {
        if case .probe = turn { isProbed = false }
    }
}
