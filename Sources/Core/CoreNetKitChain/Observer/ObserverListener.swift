/// One subscription, with the isolation of its closure.
struct ObserverListener: Sendable, QueueRemovable {
    /// Calls the closure; the caller is already on `isolation`, so nothing suspends.
    typealias Call = nonisolated(nonsending) @Sendable (ObserverEvent) async -> Void

    enum Kind: Sendable {
        case completed
        case failed
        case cancelled
        /// A `defer`: called after all other listeners of the same outcome.
        case ended
        /// An operator, which receives every event.
        case step
        /// A bag: notified of the end after all listeners but the `defer`s.
        case bag
        /// `delivered()`: called like a `defer`.
        case waiter

        /// Whether it is called after the other listeners of the same outcome.
        var isLast: Bool { self == .ended || self == .bag || self == .waiter }

        var isUnsubscribable: Bool { self != .step && self != .bag && self != .waiter }
    }

    /// The number that identifies an operator for removal; 0 for other listeners.
    var id = 0
    let kind: Kind
    let isolation: (any Actor)?
    let call: Call

    var removalKey: Int? { id == 0 ? nil : id }

    func wants(_ event: ObserverEvent) -> Bool {
        switch (kind, event) {
        case (.step, _), (.completed, .outcome(.success, _)), (.failed, .outcome(.failure, _)),
            (.cancelled, .cancelled), (.ended, .outcome), (.ended, .cancelled), (.waiter, .outcome),
            (.waiter, .cancelled):
            true
        case (.bag, let event):
            event.isEnd
        default:
            false
        }
    }
}

/// A listener that is due, and its event.
struct ObserverDelivery: Sendable, QueueRemovable {
    let listener: ObserverListener
    let event: ObserverEvent
    let generation: Int

    var removalKey: Int? { listener.removalKey }
    var isLast: Bool { listener.kind.isLast }
}
