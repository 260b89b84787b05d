import CoreNetKitSystem

// The record in its store, and the results of its last requests: one step at a time in the whole process.
extension PushRegistrar {
    package func record() throws -> Record { try change { _ in } }

    /// Changes the record; if the change cannot be stored, nothing changes.
    @discardableResult
    package func change(_ body: (inout Record) throws -> Void) throws -> Record {
        try queue.state.withLock { state in try write(&state, body) }
    }

    /// Changes the record; a change that cannot be stored now is applied before anything else is read or changed, so that
    /// changes keep their order.
    ///
    /// The change must be idempotent; after an error it is still applied if the process runs long enough.
    package func changeEventually(_ body: @escaping @Sendable (inout Record) -> Void) throws {
        try queue.state.withLock { state in
            do {
                try write(&state, body)
            } catch {
                state.late.append(body)
                throw error
            }
        }
    }

    /// Stores a change of a part; it is durable when this returns.
    package func storeChange(_ part: Part, _ body: (inout Record) throws -> Void) throws -> Change {
        try queue.state.withLock { state in
            let record = try write(&state, body)
            state.time += 1
            return (part, record.revision(of: part), state.time)
        }
    }

    /// Notes the result of a request, for the record and for waiting callers; returns the reply, and the record after it.
    func note(
        _ result: Result<Record.Reply, any Error>,
        of request: Record.Request,
        _ part: Record.Part,
        _ revision: Int?
    ) throws -> (Record.Reply, Record) {
        var result = result
        return try queue.state.withLock { state in
            var record: Record?
            do {
                record = try write(&state) { record in
                    switch result {
                    case .success(let reply): record.confirm(request, reply)
                    case .failure(let error): record.fail(request, error)
                    }
                }
            } catch {
                if case .success = result { result = .failure(error) }
            }
            if let revision {
                state.outcomes[part] = (revision, state.time, result)
            }
            let reply = try result.get()
            // If the record could not be stored, the result is already the store's failure.
            return (reply, try record ?? write(&state) { _ in })
        }
    }

    /// The result of a request that included the change; `nil` if none was sent yet.
    func outcome(for change: Change) -> Result<Record.Reply, any Error>? {
        queue.state.withLock { state in
            guard let revision = change.revision, let outcome = state.outcomes[change.part],
                outcome.revision >= revision, outcome.time >= change.time
            else { return nil }
            return outcome.result
        }
    }

    @discardableResult
    private func write(_ state: inout RecordQueue<Record>.State, _ body: (inout Record) throws -> Void) throws -> Record
    {
        var refusal: (any Error)?
        do {
            let record = try store.transaction { [late = state.late] store in
                let before = try load(store)
                var after = before
                for change in late { change(&after) }
                do {
                    try body(&after)
                } catch {
                    refusal = error
                    throw error
                }
                after.bumpRevisions(since: before)
                if after != before { try save(after, before, store) }
                return after
            }
            state.late = []
            return record
        } catch {
            throw refusal ?? PushStoreError(cause: error)
        }
    }
}

/// State that all registrars of one record share in a process: the queue of senders, and the results of the last requests.
final class RecordQueue<Record: PushRecord>: Sendable {
    struct State {
        var outcomes: [Record.Part: (revision: Int, time: Int, result: Result<Record.Reply, any Error>)] = [:]
        var time = 0
        /// Changes that could not be stored at first; they are applied in order before anything else is read or changed.
        var late: [@Sendable (inout Record) -> Void] = []
        /// The delivery position of the call that sent last: the next result is delivered after it.
        var lastDelivery: DeliveryPosition?
    }

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
            if let queue = queues[name]?.queue as? RecordQueue { return queue }
            let queue = RecordQueue()
            queues = queues.filter { $0.value.queue != nil }
            queues[name] = WeakQueue(queue: queue)
            return queue
        }
    }
}

private struct WeakQueue: @unchecked Sendable {
    // Accessed only under the lock of `queues`.
    weak var queue: AnyObject?
}

private let queues = Locked<[String: WeakQueue]>([:])
