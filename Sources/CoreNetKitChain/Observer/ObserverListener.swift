/// One subscription, with the isolation its closure was written in.
struct ObserverListener: Sendable {
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
    }

    /// The number by which an operator is forgotten; 0 for all others.
    var id = 0
    let kind: Kind
    let isolation: (any Actor)?
    let call: Call

    func wants(_ event: ObserverEvent) -> Bool {
        switch (kind, event) {
        case (.step, _), (.completed, .outcome(.success, _)), (.failed, .outcome(.failure, _)),
            (.canceled, .canceled), (.ended, .outcome), (.ended, .canceled):
            true
        default:
            false
        }
    }
}

/// A listener that is due, and what it is told.
struct ObserverDelivery: Sendable {
    let listener: ObserverListener
    let event: ObserverEvent
    let round: Int

    var isEnded: Bool { listener.kind == .ended }
}
