/// One subscription, with the isolation its closure was written in.
struct ObserverListener: Sendable, Leaving {
    /// Calls the closure; whoever calls this stands on `isolation` already, so nothing is suspended on the way.
    typealias Call = nonisolated(nonsending) @Sendable (ObserverEvent) async -> Void

    enum Kind: Sendable {
        case completed
        case failed
        case canceled
        /// A `defer`: called after all others of the same outcome.
        case ended
        /// An operator, told everything.
        case step
        /// A bag: told the end when all listeners but the `defer`s were called with it.
        case bag
        /// `delivered()`: called as a `defer` is.
        case waiter

        /// Whether it stands behind the listeners of the same outcome.
        var isLast: Bool { self == .ended || self == .bag || self == .waiter }

        /// Whether it was subscribed by whoever holds the observer, who may take it back.
        var isUnsubscribable: Bool { self != .step && self != .bag && self != .waiter }
    }

    /// The number by which an operator is forgotten; 0 for all others.
    var id = 0
    let kind: Kind
    let isolation: (any Actor)?
    let call: Call

    var mark: Int? { id == 0 ? nil : id }

    func wants(_ event: ObserverEvent) -> Bool {
        switch (kind, event) {
        case (.step, _), (.completed, .outcome(.success, _)), (.failed, .outcome(.failure, _)),
            (.canceled, .canceled), (.ended, .outcome), (.ended, .canceled), (.waiter, .outcome), (.waiter, .canceled):
            true
        case (.bag, let event):
            event.isEnd
        default:
            false
        }
    }
}

/// A listener that is due, and what it is told.
struct ObserverDelivery: Sendable, Leaving {
    let listener: ObserverListener
    let event: ObserverEvent
    let round: Int

    var mark: Int? { listener.mark }
    var isLast: Bool { listener.kind.isLast }
}
