import CoreNetKitSystem

/// State that all registrars of one record share in a process: the queue of senders, and the results of the last requests.
final class RecordQueue: Sendable {
    struct Outcome {
        let revision: Int
        let time: Int
        let result: any Sendable
    }

    struct State {
        var outcomes: [AnyHashable: Outcome] = [:]
        var time = 0
        /// Changes that could not be stored at first; they are applied before anything else is read or changed.
        var late: [any Sendable] = []
        /// The delivery position of the call that sent last: the next result is delivered after it.
        var lastDelivery: DeliveryPosition?
    }

    /// A change that must neither be lost nor be applied after later ones.
    struct Late<Record>: Sendable {
        let change: @Sendable (inout Record) -> Void
    }

    private struct Weak: @unchecked Sendable {
        // Accessed only under the lock of `queues`.
        weak var queue: RecordQueue?
    }

    private static let queues = Locked<[String: Weak]>([:])

    let senders = SerialQueue()
    let state = Locked(State())

    /// Puts the current call in the delivery order: its result follows those of calls that sent before it.
    func joinDeliveryOrder() {
        guard let position = DeliveryPosition.current else { return }
        state.withLock { position.follow(&$0.lastDelivery) }
    }

    /// The shared state of a record, one instance for all concurrent users.
    static func shared(for name: String) -> RecordQueue {
        queues.withLock { queues in
            if let queue = queues[name]?.queue { return queue }
            let queue = RecordQueue()
            queues = queues.filter { $0.value.queue != nil }
            queues[name] = Weak(queue: queue)
            return queue
        }
    }
}
